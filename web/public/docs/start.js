// The API's description with "Try it out", for who may read it: by the session of this browser, or
// by a key that is given under "Authorize". Nothing is asked of another server.
const say = (...what) => document.getElementById("api").replaceChildren(...what);

const link = (text, href) => Object.assign(document.createElement("a"), { textContent: text, href });

const opened = async () => {
  const answer = await fetch("/api/openapi.json");
  if (answer.ok) {
    const spec = await answer.json();
    spec.components.securitySchemes = { key: { type: "http", scheme: "bearer" } };
    spec.security = [{}, { key: [] }];
    SwaggerUIBundle({
      dom_id: "#api",
      spec,
      deepLinking: false, // its links would lie within buttons, which a screen reader loses
      plugins: [() => ({ components: { ServersContainer: () => null } })], // one server: nothing to choose
      filter: true,
      validatorUrl: null, // else the description would go to a checker elsewhere
    });
  } else if (answer.status === 401) {
    say(link("Sign in", "/"), ", then open this page again.");
  } else {
    const { detail } = await answer.json().catch(() => ({}));
    say(detail ?? `The API's description cannot be read (${answer.status}).`);
  }
};

opened().catch(() => say("Bedside does not answer. Load the page again."));
