/// <reference types="vite/client" />

/** Folder of pdf.js's own data (character maps, fonts, decoders), ending in a slash. */
declare const __PDFJS_DATA__: string;

/** What pdf.js's text layer reads from its page. */
declare namespace React {
  interface CSSProperties {
    "--total-scale-factor"?: number;
    "--scale-round-x"?: string;
    "--scale-round-y"?: string;
  }
}
