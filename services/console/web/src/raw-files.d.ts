/** Vite replaces this import with the text of the file. */
declare module '*.md?raw' {
  const text: string;
  export default text;
}
