package openapi

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/spec"
)

// connection returns the settings of the provider, and the block of defaults for requests.
func connection(doc *Document, name string) ([]property, []option) {
	env := func(suffix string) string {
		return "@env(" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + "_" + suffix + ")"
	}
	base := property{name: "baseURL", typ: "string", attributes: []string{env("BASE_URL")}, doc: "URL of the API."}
	below := ""
	if address := doc.server(); strings.Contains(address, "://") {
		base.typ = "*" + literalOf(address) + " | string"
	} else {
		below = address
	}
	settings := []property{base}
	http := []option{{"baseURL", literalOf("${config.baseURL}" + below)}}
	auth, secrets := credentials(schemeOf(doc))
	for _, s := range secrets {
		s.attributes = append(s.attributes, env(strings.ToUpper(strings.Join(words(s.name), "_"))))
		settings = append(settings, s)
	}
	if auth != "" {
		http = append(http, option{"auth", auth})
	}
	return settings, http
}

// words splits a name in camelCase.
func words(name string) []string { return strings.Split(spec.WireName("snake_case", name), "_") }

// schemeOf returns the scheme of credentials that most operations require, if any, and its name.
func schemeOf(doc *Document) (part, string) {
	schemes := doc.root.get("components").get("securitySchemes")
	if !schemes.exists() {
		schemes = doc.root.get("securityDefinitions") // version 2.0
	}
	counts := map[string]int{}
	count := func(requirements part, n int) {
		for _, r := range requirements.list() {
			for _, name := range r.keys() {
				counts[name] += n
			}
		}
	}
	operations := 0
	doc.paths.each(func(_ string, item part) {
		for _, o := range operationsOf(item) {
			operations++
			count(o.get("security"), 1)
		}
	})
	count(doc.root.get("security"), operations+1)
	best := ""
	for _, name := range schemes.keys() {
		if best == "" || counts[name] > counts[best] || counts[name] == counts[best] && isOutdated(schemes.get(best)) {
			best = name
		}
	}
	return schemes.get(best), best
}

// isOutdated reports whether a description says that credentials are deprecated.
func isOutdated(scheme part) bool {
	return scheme.get("deprecated").isTrue() || strings.Contains(strings.ToLower(scheme.get("description").text()), "deprecated")
}

// authorizationWord matches what descriptions say of the word before a token.
var authorizationWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?i)(?:prefix(?:ed)?(?: with)?|prepended with|the word|Authorization:)\\s*[\"'`]?((?-i:Bearer|bearer|Token|token|ApiKey|Key|JWT|SSWS|Bot|Basic|Api-Key))[\"'`\\s]")
})

// prefixOf returns the word before the token in the header Authorization, or "".
func prefixOf(scheme part, name string) string {
	word := ""
	if m := authorizationWord().FindStringSubmatch(scheme.get("description").text() + " "); m != nil {
		word = m[1]
	} else if of := strings.ToLower(name); strings.Contains(of, "jwt") || strings.Contains(of, "bearer") {
		word = "Bearer"
	}
	if strings.EqualFold(word, "bearer") {
		return "Bearer"
	}
	return word
}

// credentials returns the value of `auth` for a scheme in CUE, with the settings that it requires.
func credentials(scheme part, name string) (string, []property) {
	setting := func(name, doc string) property {
		return property{name: name, typ: "string", doc: doc, attributes: []string{"@secret()"}}
	}
	token := []property{setting("token", "Token of the API.")}
	kind, in := scheme.get("type").text(), scheme.get("in").text()
	method := strings.ToLower(cmp.Or(scheme.get("scheme").text(), kind))
	tokenURL := scheme.get("flows").get("clientCredentials").get("tokenUrl").text()
	if scheme.get("flow").text() == "application" { // version 2.0
		tokenURL = scheme.get("tokenUrl").text()
	}
	switch {
	case !scheme.exists():
		return "", nil
	case method == "basic", method == "digest":
		user := property{name: "username", typ: "string", doc: "User name."}
		return "{" + method + `: {username: "${config.username}", password: "${config.password}"}}`, []property{user, setting("password", "Password.")}
	case kind == "apiKey" && in == "header" && strings.EqualFold(scheme.get("name").text(), "Authorization") && prefixOf(scheme, name) != "":
		if prefix := prefixOf(scheme, name); prefix != "Bearer" {
			return `{apiKey: {header: "Authorization", value: ` + literalOf(prefix+" ${config.token}") + "}}", token
		}
		return `{bearer: "${config.token}"}`, token
	case kind == "apiKey" && slices.Contains([]string{"header", "query", "cookie"}, in):
		return "{apiKey: {" + in + ": " + literalOf(scheme.get("name").text()) + `, value: "${config.token}"}}`, token
	case kind == "oauth2" && strings.HasPrefix(tokenURL, "http") && !strings.Contains(tokenURL, "$"):
		id := property{name: "clientID", typ: "string", doc: "Client id."}
		return "{oauth2: {tokenURL: " + literalOf(tokenURL) + `, clientID: "${config.clientID}", clientSecret: "${config.clientSecret}"}}`,
			[]property{id, setting("clientSecret", "Client secret.")}
	default:
		return `{bearer: "${config.token}"}`, token
	}
}
