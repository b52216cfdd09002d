"""Signs an agent in to an app with authlib: in a browser with PKCE, and with an identity token that the agent requests."""

import os
import re
import secrets

import requests
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import KeySet

BASE, KEY = os.environ["POSTHOUSE_URL"], os.environ["POSTHOUSE_KEY"]
ISSUER = BASE + "/oidc"
CALLBACK = "http://localhost:9/callback"
JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
# The library refuses http otherwise; the service is on this machine.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


def api(method, path, **body):
    reply = requests.request(method, BASE + path, json=body or None, headers={"Authorization": "Bearer " + KEY}, timeout=10)
    reply.raise_for_status()
    return reply.json()


def check(claims, **expected):
    for name, value in expected.items():
        assert claims[name] == value, (name, claims)


def verified(token, keys, audience, **more):
    """Returns the claims of an identity token after all checks of the library."""
    claims = jwt.decode(token, keys, algorithms=["ES256"]).claims
    rules = {
        "iss": {"essential": True, "value": ISSUER},
        "aud": {"essential": True, "value": audience},
        "exp": {"essential": True},
        "iat": {"essential": True},
        "sub": {"essential": True},
        **more,
    }
    jwt.JWTClaimsRegistry(leeway=30, **rules).validate(claims)
    return claims


def approve(browser, inbox):
    """Opens the page as a browser, and approves its code as the agent. Returns the URL that the browser goes to."""
    page = requests.get(browser, timeout=10)
    code = re.search(r"<code>([A-Z]{4}-[A-Z]{4})</code>", page.text).group(1)
    api("POST", f"/v1/inboxes/{inbox}/identity/approvals/{code}", approve=True)
    return requests.get(page.url, timeout=10, allow_redirects=False).headers["location"]


def main():
    metadata = requests.get(ISSUER + "/.well-known/openid-configuration", timeout=10).json()
    check(metadata, issuer=ISSUER)
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=10).json())
    inbox = api("POST", "/v1/inboxes", display_name="Ann")
    for method in ("client_secret_basic", "client_secret_post", "none"):
        kind = "public" if method == "none" else "confidential"
        made = api("POST", "/v1/identity/clients", name="authlib", type=kind, redirect_uris=[CALLBACK])
        app = OAuth2Session(
            made["client"]["client_id"], made.get("client_secret"), scope="openid email profile", redirect_uri=CALLBACK,
            token_endpoint_auth_method=method, code_challenge_method="S256",
        )
        nonce, verifier = secrets.token_urlsafe(), secrets.token_urlsafe(48)
        uri, state = app.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
        back = approve(uri, inbox["id"])
        token = app.fetch_token(metadata["token_endpoint"], authorization_response=back, state=state, code_verifier=verifier)
        claims = verified(token["id_token"], keys, app.client_id, nonce={"essential": True, "value": nonce})
        check(claims, email=inbox["address"], email_verified=True, name="Ann", preferred_username=inbox["username"])
        info = app.get(metadata["userinfo_endpoint"]).json()
        check(info, sub=claims["sub"], email=inbox["address"])

        minted = api("POST", f"/v1/inboxes/{inbox['id']}/identity-token", audience=app.client_id, nonce=nonce)
        check(verified(minted["id_token"], keys, app.client_id, nonce={"value": nonce}), sub=claims["sub"], jti=minted["jti"])
        app.token = None
        exchanged = app.fetch_token(metadata["token_endpoint"], grant_type=JWT_BEARER, assertion=minted["id_token"])
        check(app.get(metadata["userinfo_endpoint"]).json(), sub=claims["sub"])
        assert exchanged["token_type"] == "Bearer", exchanged
    print("authlib: an agent signed in to three apps")


main()
