package http

import (
	"strconv"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/http/session"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/lists"
)

// authArg declares the argument `auth`.
func authArg() actions.Arg {
	kinds := authType()
	a := declare.Arg("auth", declare.Either(declare.OneOf("none", "default"), kinds, declare.List(kinds)),
		"Credentials. In a list of several, each sees the request with what those before it have added. \"none\" sends none. In a step, \"default\" sends those of the defaults, also to an origin that their `origins` list.")
	a.Recalled, a.Requestable = true, true
	a.Inner = map[string]actions.Mode{
		"login.token": actions.Late, "login.expires": actions.Late, "login.http.error": actions.Late,
		"login.http.path": actions.Path, "login.http.url": actions.Path, "login.exec.sandbox": actions.Raw,
		"sign.headers": actions.Late, "sign.query": actions.Late,
	}
	a.ExposedWithin = []string{
		"login.http.path", "login.http.url", "login.http.baseURL", "login.http.query", "login.exec.command", "login.exec.dir", "login.as.header",
		"oauth2.tokenURL", "apiKey.header", "apiKey.query", "apiKey.cookie",
	}
	a.ExposedNames = []string{"login.http.headers"}
	a.Instead = "Servers and proxies log whole URLs, and every user of a machine can read command lines. Send the secret in a header or the body of the login request, or pass it to the command by `env` or `stdin`."
	return a
}

// authType returns the type of one item of `auth`.
func authType() *spec.Type {
	named := func(place, doc string) *spec.Property { return declare.Field(place, declare.NonEmpty(), doc) }
	user := func() *spec.Type {
		return declare.Object(declare.Member("username", declare.Text(), "User name."), declare.Member("password", declare.Text(), "Password."))
	}
	return declare.Object(
		declare.Field("origins", declare.List(declare.NonEmpty()),
			"Origins (`https://api.example.com`) that receive the credentials; if `auth` is a list, the `origins` of its items apply to the whole list. In a step, they add to the origin of the step's URL. In the block of defaults, they also receive its secret headers, and only apply if the block has no `baseURL`, or to steps with `auth: \"default\"`."),
		declare.Field("bearer", declare.Text(), "Bearer token."),
		declare.Field("basic", user(), "User name and password."),
		declare.Field("apiKey", declare.Object(named("header", "Name of the header."), named("query", "Name of the query parameter."), named("cookie", "Name of the cookie."), declare.Member("value", declare.Text(), "The key.")), "API key, in a header, query parameter or cookie."),
		declare.Field("digest", user(), "User name and password, by the Digest scheme (RFC 7616): MD5, SHA-256, SHA-512 and SHA-512-256. The first request to a server is sent twice, because the server first responds with a challenge."),
		declare.Field("jwt", jwtType(), "JSON Web Token that is signed for each request, as a bearer token."),
		declare.Field("oauth2", oauth2Type(), "Token of OAuth 2. All requests share it. It is renewed before it expires, and once if the server rejects it."),
		declare.Field("login", declare.Object(
			declare.Field("http", declare.Map(declare.Any()), "The login request."),
			declare.Field("exec", helperType(), "A command that prints a token, instead of a request. `permissions.run` must grant its program."),
			declare.Field("token", declare.Any(), "Expression for the token, from `body`, `status` and `headers` of the response, or from `stdout` of the command. Default for a command: its whole output."),
			declare.Field("expires", declare.Any(), "Expression for the expiry: seconds from now, or a time. Default: the token does not expire."),
			declare.Field("as", declare.Object(declare.Field("header", declare.NonEmpty(), "Name of the header. Default: Authorization."), declare.Field("prefix", declare.Text(), "Text before the token. Default: `Bearer ` without `header`, otherwise none.")), "How the token is sent."),
		), "Token that a login request or a command returns. All requests share it. It is renewed before it expires, and once if the server rejects it."),
		declare.Field("sigv4", declare.Object(
			declare.Member("service", declare.NonEmpty(), "Service in the scope of the signature, such as `s3` or `dynamodb`."), declare.Member("region", declare.NonEmpty(), "Region, such as `us-east-1`."),
			declare.Member("accessKey", declare.Text(), "Id of the access key."), declare.Member("secretKey", declare.Text(), "Secret access key."),
			declare.Field("sessionToken", declare.Text(), "Session token of temporary keys."),
			declare.Field("unsignedPayload", declare.Bool(), "Do not sign the body, which S3 accepts over https. A large body is then read only once."),
		), "AWS Signature Version 4, in headers."),
		declare.Field("sign", declare.Object(
			declare.Field("headers", declare.Map(declare.Any()), "Headers to add. Names must not contain templates; null adds none."),
			declare.Field("query", declare.Map(declare.Any()), "Query parameters to add. Names must not contain templates; null adds none."),
		), "Sign each request by expressions. They see `now`, the current time, corrected if the server's clock differs, and `request`: `method`, `url`, `host`, `path`, `query`, `rawQuery`, `headers` by their names in lower case, and `body` with `size`, `text` and the digests `md5`, `sha1`, `sha256` and `sha512` in hex."),
	)
}

// helperType returns the type of a command that prints a token.
func helperType() *spec.Type {
	return declare.Object(
		declare.Member("command", declare.List(declare.Text()), "The program and its arguments. No shell interprets them: see exec."),
		declare.Field("env", declare.Map(declare.Any()), "Environment variables, in addition to those in `permissions.env`."),
		declare.Field("stdin", declare.Text(), "Standard input."),
		declare.Field("stdout", declare.OneOf("text", "json"), "Format of the output. Default: text."),
		declare.Field("dir", declare.NonEmpty(), "Working directory, relative to the folder of the user's program."),
		declare.Field("sandbox", declare.OneOf("auto", "required", "off"), "Whether the Linux kernel confines the command, as in exec. Default: auto."),
		declare.Field("timeout", declare.Text(), "Time limit. Default: 1m."),
	)
}

// jwtType returns the type of a JSON Web Token that is signed here.
func jwtType() *spec.Type {
	return declare.Object(
		declare.Member("alg", declare.OneOf("RS256", "ES256", "EdDSA", "HS256"), "Algorithm."),
		declare.Member("key", declare.Text(), "Private key in PEM (PKCS #8, PKCS #1 or SEC 1), or the secret of HS256."),
		declare.Field("kid", declare.NonEmpty(), "Id of the key, in the header."),
		declare.Field("claims", declare.Map(declare.Any()), "Claims. `iat` and `exp` are added."),
		declare.Field("lifetime", declare.Text(), "How long the token is valid. Default: 5m."),
	)
}

// oauth2Type returns the type of the arguments of OAuth 2.
func oauth2Type() *spec.Type {
	names := lists.Map(session.Grants(), func(g session.Grant) string { return g.Name })
	assertion := declare.Object(declare.Member("jwt", jwtType(), "The JWT, which is signed for each token request."))
	return declare.Object(
		declare.Member("tokenURL", declare.NonEmpty(), "URL of the token endpoint."),
		declare.Field("grant", declare.OneOf(names...), "Grant. Must not contain templates. Default: client_credentials."),
		declare.Field("clientID", declare.Text(), "Client id."),
		declare.Field("clientSecret", declare.Text(), "Client secret, sent in a header, or in the body if the server only accepts that. Without it and `clientAssertion`, the client is public, or identified by the certificate in `tls`."),
		declare.Field("clientAssertion", assertion, "Authenticate the client by a JWT (private_key_jwt) instead of a secret. `iss` and `sub` are the client id, `aud` is `tokenURL` and `jti` is random, unless `claims` has others."),
		declare.Field("username", declare.Text(), "User name, for the grant password."), declare.Field("password", declare.Text(), "Password, for the grant password."),
		declare.Field("refreshToken", declare.Text(), "Refresh token, for the grant refresh_token. If the server replaces it, the provider keeps the new one until it ends."),
		declare.Field("assertion", assertion, "Assertion, for the grant jwt-bearer. `aud` is `tokenURL`, unless `claims` has another."),
		declare.Field("subjectToken", declare.Text(), "Token to exchange, for the grant token-exchange."),
		declare.Field("subjectTokenType", declare.NonEmpty(), "Type of that token. Default: an access token."),
		declare.Field("scopes", declare.List(declare.Text()), "Scopes to request."), declare.Field("audience", declare.Text(), "Audience."),
		declare.Field("params", declare.Map(declare.Any()), "Further parameters of the token request."),
	)
}

// helperOf returns the command of the login that a part of the argument `auth` belongs to, or nil.
func helperOf(s actions.Static, part string) *spec.Node {
	auth := s.Nodes["auth"]
	if auth != nil && auth.Kind == spec.ListNode {
		index, _, _ := strings.Cut(strings.TrimPrefix(part, "auth."), ".")
		i, err := strconv.Atoi(index)
		if err != nil || i >= len(auth.Items) {
			return nil
		}
		auth = auth.Items[i]
	}
	return auth.Get("login").Get("exec")
}

// helperScope returns the names that an expression may refer to after a command has printed a
// token.
func helperScope(helper *spec.Node) []*spec.Property {
	stdout := declare.Member("stdout", declare.Text(), "Standard output, without one newline at its end.")
	if form, _ := literalText(helper.Get("stdout")); form == "json" {
		stdout = declare.Field("stdout", declare.Any(), "Standard output, decoded.")
	}
	members := []*spec.Property{stdout, declare.Member("stderr", declare.Text(), "Standard error."), declare.Member("exitCode", declare.Int(), "Exit code.")}
	return append(members, declare.Member("result", declare.Object(members...), "The three members above."))
}

// signScope returns the names that the expressions of `auth: sign` may refer to.
func signScope() []*spec.Property {
	text := func(name, doc string) *spec.Property { return declare.Member(name, declare.Text(), doc) }
	contents := declare.Field("text", declare.Text(), "The body; null if it is larger than 1 MiB.")
	body := declare.Object(declare.Member("size", declare.Int(), "Size in bytes."), contents,
		text("md5", "MD5, in hex."), text("sha1", "SHA-1, in hex."), text("sha256", "SHA-256, in hex."), text("sha512", "SHA-512, in hex."))
	return []*spec.Property{
		declare.Member("now", declare.Time(), "The time at the server."),
		declare.Member("request", declare.Object(
			text("method", "The method."), text("url", "The URL."), text("host", "The host, with a port that is not the default."), text("path", "The path, escaped as sent."),
			declare.Member("query", declare.Map(declare.List(declare.Text())), "The query parameters."), text("rawQuery", "The query, escaped as sent."),
			declare.Member("headers", declare.Headers(), "The headers, by their names in lower case."), declare.Member("body", body, "The body."),
		), "The request, with the credentials before this one."),
	}
}
