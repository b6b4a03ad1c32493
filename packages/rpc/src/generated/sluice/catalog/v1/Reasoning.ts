// Original file: proto/catalog/v1/catalog.proto


export interface ReasoningInput {
  'supportedEfforts'?: (string)[];
  'defaultEffort'?: (string);
  'mandatory'?: (boolean);
  '_defaultEffort'?: "defaultEffort";
  '_mandatory'?: "mandatory";
}

export interface Reasoning {
  'supportedEfforts': (string)[];
  'defaultEffort'?: (string);
  'mandatory'?: (boolean);
  '_defaultEffort'?: "defaultEffort";
  '_mandatory'?: "mandatory";
}
