/** Vite gives a file's text for this import. */
declare module '*.md?raw' {
  const text: string;
  export default text;
}
