// A certified OpenID provider (oidc-provider) as a server. Standard input holds its configuration
// as JSON: port, keys (a JWK set with the private parts), client, and accounts: their claims, by
// the name that one signs in with. Any password will do.
import { readFileSync } from "node:fs";
import Provider from "oidc-provider";

const { port, keys, client, accounts } = JSON.parse(readFileSync(0, "utf8"));
const issuer = `http://127.0.0.1:${port}`;

const provider = new Provider(issuer, {
  clients: [{ grant_types: ["authorization_code"], response_types: ["code"], ...client }],
  jwks: keys,
  cookies: { keys: ["of this test run only"] },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups", "jobTitle", "department", "hasgroups", "_claim_names", "_claim_sources"] },
  conformIdTokenClaims: false, // profile's claims stand in the ID token, as with Entra ID and Keycloak
  pkce: { required: () => true },
  features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  findAccount: (_, id) => accounts[id] && { accountId: id, claims: () => ({ sub: id, ...accounts[id] }) },
  ttl: { AccessToken: 3600, AuthorizationCode: 60, IdToken: 3600, Interaction: 600, Session: 3600, Grant: 3600 },
});
provider.listen(port, "127.0.0.1", () => console.log(`ready ${issuer}`));
