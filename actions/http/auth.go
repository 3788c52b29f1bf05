package http

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/spec"
)

// authArg declares the argument `auth`.
func authArg() actions.Arg {
	kinds := authType()
	a := declare.Arg("auth", declare.Either(declare.OneOf("none", "default"), kinds, declare.List(kinds)),
		"Credentials, or a list of several, each of which sees the request with those before it. \"none\" sends none. In a step, \"default\" sends those of the defaults to an origin in their `origins`.")
	a.Recalled, a.Requestable = true, true
	a.Inner = map[string]actions.Mode{
		"login.token": actions.Late, "login.expires": actions.Late, "login.http.error": actions.Late,
		"login.http.path": actions.Path, "login.http.url": actions.Path,
		"sign.headers": actions.Late, "sign.query": actions.Late,
	}
	a.ExposedWithin = []string{
		"login.http.path", "login.http.url", "login.http.baseURL", "login.http.query", "login.as.header",
		"oauth2.tokenURL", "apiKey.header", "apiKey.query", "apiKey.cookie",
	}
	a.ExposedNames = []string{"login.http.headers"}
	a.Instead = "Servers and proxies log whole URLs. Send the secret in a header or the body of the login request."
	return a
}

// authType returns the type of one item of `auth`.
func authType() *spec.Type {
	named := func(what string) *spec.Property { return declare.Field(what, declare.NonEmpty(), "Its name.") }
	user := func() *spec.Type {
		return declare.Object(declare.Member("username", declare.Text(), "User name."), declare.Member("password", declare.Text(), "Password."))
	}
	return declare.Object(
		declare.Field("origins", declare.List(declare.NonEmpty()),
			"Origins (`https://api.example.com`) that receive the credentials, all of a list, in addition to that of `baseURL`. In the block of defaults, also for secret headers."),
		declare.Field("bearer", declare.Text(), "Bearer token."),
		declare.Field("basic", user(), "User name and password."),
		declare.Field("apiKey", declare.Object(named("header"), named("query"), named("cookie"), declare.Member("value", declare.Text(), "The key.")), "API key, in a header, query parameter or cookie."),
		declare.Field("digest", user(), "User name and password, by the Digest scheme (RFC 7616): MD5, SHA-256, SHA-512 and SHA-512-256. The first request to a server is sent twice."),
		declare.Field("oauth2", declare.Object(
			declare.Member("tokenURL", declare.NonEmpty(), "URL of the token endpoint."), declare.Member("clientID", declare.Text(), "Client id."), declare.Member("clientSecret", declare.Text(), "Client secret."),
			declare.Field("scopes", declare.List(declare.Text()), "Scopes to request."), declare.Field("audience", declare.Text(), "Audience."), declare.Field("params", declare.Map(declare.Any()), "Further parameters of the token request."),
		), "Client credentials of OAuth 2. The token is renewed before it expires."),
		declare.Field("login", declare.Object(
			declare.Field("http", declare.Map(declare.Any()), "The login request."),
			declare.Field("token", declare.Any(), "Expression for the token, by `body`, `status` and `headers`."),
			declare.Field("expires", declare.Any(), "Expression for the expiry: seconds from now, or a time."),
			declare.Field("as", declare.Object(declare.Field("header", declare.NonEmpty(), "Default: Authorization."), declare.Field("prefix", declare.Text(), "Default: `Bearer `.")), "How the token is sent."),
		), "Fetch a token by a login request. The token is shared by all requests, and renewed once if the server rejects it."),
		declare.Field("sigv4", declare.Object(
			declare.Member("service", declare.NonEmpty(), "Service in the scope of the signature, such as `s3` or `dynamodb`."), declare.Member("region", declare.NonEmpty(), "Region, such as `us-east-1`."),
			declare.Member("accessKey", declare.Text(), "Id of the access key."), declare.Member("secretKey", declare.Text(), "Secret access key."),
			declare.Field("sessionToken", declare.Text(), "Session token of temporary keys."),
			declare.Field("unsignedPayload", declare.Bool(), "Do not sign the body, which S3 accepts over https. A large body is then not read twice."),
		), "AWS Signature Version 4, in headers."),
		declare.Field("sign", declare.Object(
			declare.Field("headers", declare.Map(declare.Any()), "Headers to add. Names must be literal; null adds none."),
			declare.Field("query", declare.Map(declare.Any()), "Query parameters to add. Names must be literal; null adds none."),
		), "Sign each request by expressions. They see `request` (`method`, `url`, `host`, `path`, `query`, `rawQuery`, `headers` by their names in lower case, `body` with `size`, `text` and the digests `md5`, `sha1`, `sha256` and `sha512` in hex) and `now`, the time at the server."),
	)
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
			declare.Member("headers", declare.Map(declare.Text()), "The headers, by their names in lower case."), declare.Member("body", body, "The body."),
		), "The request, with the credentials before this one."),
	}
}
