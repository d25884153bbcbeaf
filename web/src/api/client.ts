// The one client of the service: paths, parameters, bodies and answers are typed by its OpenAPI
// document.
import createClient, { createFinalURL, createQuerySerializer, defaultPathSerializer } from "openapi-fetch";
import { ApiError, asApiError, refusal } from "./errors";
import type { paths } from "./schema";
import { saySignedOut } from "./signedOut";

const BASE = "/api";

export const service = createClient<paths>({
  baseUrl: BASE,
  headers: { Accept: "application/json" },
  fetch: async (request) => {
    const response = await fetch(request).catch((error: unknown) => {
      throw new ApiError("offline", String(error));
    });
    if (response.status !== 401 || new URL(request.url).pathname.endsWith("/session")) return response;
    const said = await response.arrayBuffer(); // before the page goes, and with it whoever still reads this
    saySignedOut();
    return new Response(said, response);
  },
});

interface Came<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Return what the service gave; throw an ApiError when it gave nothing. */
export async function call<Data>(request: Promise<Came<Data>>): Promise<Data> {
  const { data, response } = await allowed(request);
  if (data === undefined) throw new ApiError("internal", "The service gave nothing.", response.status);
  return data;
}

/** Wait for what has no answer but that it is done. */
export async function done(request: Promise<Came<unknown>>): Promise<void> {
  await allowed(request);
}

async function allowed<Data>(request: Promise<Came<Data>>): Promise<Came<Data>> {
  const came = await request.catch((error: unknown) => {
    throw asApiError(error);
  });
  if (!came.response.ok) throw refusal(came.error, came.response);
  return came;
}

type Asked<Path extends keyof paths> = Pick<NonNullable<paths[Path]["get"]>["parameters"], "path" | "query">;

/** Return the address of what the browser itself fetches: a file to show or to save. */
export function address<Path extends keyof paths>(path: Path, params: Asked<Path>): string {
  return createFinalURL(path, {
    baseUrl: BASE,
    params,
    querySerializer: createQuerySerializer(),
    pathSerializer: defaultPathSerializer,
  });
}
