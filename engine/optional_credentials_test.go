package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec/diag"
)

// TestOptionalCredentials checks that credentials cannot be null: for each part without which a
// request has none, alone and with others, in the defaults and in a step. %s is the part.
func TestOptionalCredentials(t *testing.T) {
	t.Parallel()
	needed := map[string]string{
		"bearer":        `{bearer: %s}`,
		"apiKey.header": `{apiKey: {header: %s, value: "v"}}`,
		"apiKey.query":  `{apiKey: {query: %s, value: "v"}}`,
		"apiKey.cookie": `{apiKey: {cookie: %s, value: "v"}}`,
		"apiKey.value":  `{apiKey: {header: "X-Key", value: %s}}`,
		"basic":         `{basic: {username: "u", password: %s}}`,
		"digest":        `{digest: {username: %s, password: "p"}}`,
		"sigv4":         `{sigv4: {service: "s3", region: "r", accessKey: "a", secretKey: %s}}`,
		"jwt":           `{jwt: {alg: "HS256", key: %s}}`,
		"clientID":      `{oauth2: {tokenURL: "https://a.test/t", clientID: %s, clientSecret: "s"}}`,
		"clientSecret":  `{oauth2: {tokenURL: "https://a.test/t", clientID: "c", clientSecret: %s}}`,
		"username":      `{oauth2: {tokenURL: "https://a.test/t", grant: "password", username: %s, password: "p"}}`,
		"password":      `{oauth2: {tokenURL: "https://a.test/t", grant: "password", username: "u", password: %s}}`,
		"refreshToken":  `{oauth2: {tokenURL: "https://a.test/t", grant: "refresh_token", clientID: "c", refreshToken: %s}}`,
		"subjectToken":  `{oauth2: {tokenURL: "https://a.test/t", grant: "token-exchange", subjectToken: %s}}`,
	}
	// A public client has no secret, and other members have defaults.
	optional := map[string]string{
		"clientSecret of a public client": `{oauth2: {tokenURL: "https://a.test/t", grant: "password", username: "u", password: "p", clientID: "c", clientSecret: %s}}`,
		"audience":                        `{oauth2: {tokenURL: "https://a.test/t", clientID: "c", clientSecret: "s", audience: %s}}`,
		"sessionToken":                    `{sigv4: {service: "s3", region: "r", accessKey: "a", secretKey: "k", sessionToken: %s}}`,
	}
	check := func(name, auth, value string, want bool) {
		auth = fmt.Sprintf(auth, value)
		for _, where := range []string{"defaults", "step"} {
			for how, text := range map[string]string{"single": auth, "list": "[" + auth + "]", "with another": `[` + auth + `, {apiKey: {header: "X-Other", value: "v"}}]`} {
				defaults, step := `, auth: `+text, ""
				if where == "step" {
					defaults, step = step, defaults
				}
				runCase(t, strings.Join([]string{name, value, where, how}, "/"), func(t *testing.T) {
					t.Parallel()
					_, diags := newWorld().compile(t, `config: {required: string, optional?: string, open: {...}}
permissions: hosts: ["https://a.test"]
http: {baseURL: "https://a.test"`+defaults+`}
resources: It: {
	inputs: name: string @replace()
	id: "${inputs.name}"
	create: http: {method: "PUT", path: "/it"`+step+`}
	delete: world: do: what: "remove"
}`)
					// An optional part may be null only where that is the same as its absence.
					refused := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
						return d.Severity == diag.Error && (d.Code == "bad-call" || d.Code == "null-unguarded")
					})
					if refused != want {
						t.Errorf("refused: %v, want %v: %+v", refused, want, diags)
					}
				})
			}
		}
	}
	for name, auth := range needed {
		check(name, auth, `"${config.optional}"`, true)
		check(name, auth, `"${config.required}"`, false)
		check(name, auth, `"${config.optional ?? 'public'}"`, false)
		check(name, auth, `"${config.open.token}"`, true) // as for a required member
	}
	for name, auth := range optional {
		check(name, auth, `"${config.optional}"`, false)
	}
}
