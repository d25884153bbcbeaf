/// <reference types="vite/client" />

/** Folder of pdf.js's own data (character maps, fonts, decoders), ending in a slash. */
declare const __PDFJS_DATA__: string;
