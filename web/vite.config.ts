import { createReadStream, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const PDFJS = join(import.meta.dirname, "node_modules/pdfjs-dist");
const SWAGGER_UI = join(import.meta.dirname, "node_modules/swagger-ui-dist");
const PDFJS_VERSION: string = JSON.parse(readFileSync(join(PDFJS, "package.json"), "utf8")).version;
// quickjs is the sandbox for scripts inside PDFs; Bedside never runs those.
const PDFJS_DATA = ["cmaps", "standard_fonts", "wasm", "iccs"].flatMap((folder) =>
  readdirSync(join(PDFJS, folder))
    .filter((name) => !/quickjs/i.test(name))
    .map((name) => `${folder}/${name}`),
);

/** Files of a package, served below `base` by the same server as the page: no CDN. */
function served(base: string, folder: string, names: readonly string[]): Plugin {
  return {
    name: `served-${base}`,
    generateBundle() {
      for (const name of names) {
        this.emitFile({ type: "asset", fileName: `${base}/${name}`, source: readFileSync(join(folder, name)) });
      }
    },
    configureServer(server) {
      server.middlewares.use(`/${base}/`, (request, response, next) => {
        const name = names.find((known) => `/${known}` === request.url);
        if (name) createReadStream(join(folder, name)).pipe(response);
        else next();
      });
    },
  };
}

export default defineConfig({
  plugins: [
    react(),
    // What pdf.js loads on demand: character maps, fonts, decoders.
    served(`pdfjs-${PDFJS_VERSION}`, PDFJS, PDFJS_DATA),
    // What public/docs shows the API with.
    served("docs", SWAGGER_UI, ["swagger-ui-bundle.js", "swagger-ui.css"]),
  ],
  define: { __PDFJS_DATA__: JSON.stringify(`/pdfjs-${PDFJS_VERSION}/`) },
  server: { proxy: { "/api": process.env.BEDSIDE_API ?? "http://127.0.0.1:8000" } },
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false }, // what does not know these links fetches the same files a moment later
    assetsInlineLimit: 0, // data: URLs would need a wider content security policy
    rollupOptions: {
      output: {
        // .js, because not every web server knows .mjs as JavaScript, and a module of another type
        // is refused.
        assetFileNames: (asset) =>
          asset.names[0]?.endsWith(".mjs") ? "assets/[name]-[hash].js" : "assets/[name]-[hash][extname]",
      },
    },
  },
});
