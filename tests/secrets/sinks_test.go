package secrets

import "strings"

// verdict is what becomes of a secret at a sink.
type verdict string

const (
	// Of a secret that is declared:
	refusedByVet verdict = "vet refuses it"
	warnedByVet  verdict = "vet warns of it"
	// Of one that runs:
	refused verdict = "it is refused, and nothing is done"
	masked  verdict = "it is masked"
	silent  verdict = "it fails, and nothing is said of it"
	either  verdict = "it is refused or masked"
	hidden  verdict = "it stays secret"
	private verdict = "only the owner reads it"
	told    verdict = "a message says that others read it"
)

// sink is a place that a secret is put into.
type sink struct {
	name string
	// step is a step with § for the secret; "" where the place is beside the steps:
	// beside has it then, with § for the secret outside of a loop.
	step, beside string
	// declared is what vet says of a secret that is declared, "" nothing; runs is what
	// becomes of any other.
	declared, runs verdict
	// changes says that the step changes something, of says that only a resource has it.
	changes, of bool
	// never says that vet refuses a value there, whether or not it is secret.
	never bool
}

// sinks are all of them, with what is expected.
func sinks() []sink {
	return []sink{
		{name: "argv", declared: refusedByVet, runs: refused, step: `exec: {command: ["true", "--", "${§}"], effect: "none"}`},
		{name: "the program", declared: refusedByVet, runs: refused, step: `exec: {command: ["${§}"], effect: "none"}`},
		{name: "a URL", declared: refusedByVet, runs: refused, step: `http: url: "${config.endpoint}/at/${§}"`},
		{name: "a path", declared: refusedByVet, runs: refused, step: `http: path: "/at/${§}"`},
		{name: "a query", declared: refusedByVet, runs: refused, step: `http: {path: "/at", query: k: "${§}"}`},
		{name: "the names of a query", declared: refusedByVet, runs: refused, step: `http: {path: "/at", query: "${fromPairs([[§, 'x']])}"}`},
		{name: "the names of headers", declared: refusedByVet, never: true, step: `http: {path: "/at", headers: "${fromPairs([[§, 'x']])}"}`},
		{name: "the path of a login", declared: refusedByVet, runs: refused, step: `http: {path: "/at", auth: login: {http: {method: "POST", path: "/at/${§}"}, token: "${body.token}"}}`},
		{name: "the URL of tokens", declared: refusedByVet, runs: refused, step: `http: {path: "/at", auth: oauth2: {tokenURL: "${config.endpoint}/${§}", clientID: "a", clientSecret: "b"}}`},
		{name: "a client's secret", runs: hidden, step: `http: {path: "/at", auth: oauth2: {tokenURL: "${config.endpoint}/token", grant: "password", username: "a", password: "${§}"}}`},
		{name: "a key that signs nothing", runs: silent, step: `http: {path: "/at", auth: jwt: {alg: "RS256", key: "${§}"}}`},
		{name: "a key that signs", runs: hidden, step: `http: {path: "/at", auth: sigv4: {service: "s", region: "r", accessKey: "a", secretKey: "${§}"}}`},
		{name: "a signature", runs: hidden, step: `http: {path: "/at", auth: sign: headers: "X-Signature": "${hmac('sha256', string(§), request.path)}"}`},
		{name: "a certificate's key", runs: silent, step: `http: {path: "/at", tls: {cert: "x", key: "${§}"}}`},
		{name: "a file's name", declared: refusedByVet, runs: refused, step: `file: stat: path: "files/${§}"`},
		{name: "progress", declared: refusedByVet, runs: either, step: `{http: path: "/at", progress: "at ${§}"}`},
		{name: "a file that others read", declared: warnedByVet, runs: told, changes: true, step: `file: write: {path: "files/NAME.open", content: "${§}", mode: "0644", overwrite: true}`},
		{name: "a file", runs: private, changes: true, step: `file: write: {path: "files/NAME.own", content: "${§}", overwrite: true}`},
		{name: "fail", runs: masked, step: `{http: path: "/at", fail: "failed at ${§}"}`},
		{name: "refused", runs: masked, step: `{http: path: "/at", refused: "refused at ${§}"}`},
		{name: "a duration", runs: masked, step: `{http: path: "/at", timeout: "${§}"}`},
		{name: "an expression that fails", runs: masked, step: `{http: path: "/at", if: "${int(§) > 3}"}`},
		{name: "an identifier of a statement", declared: refusedByVet, runs: refused, step: `sql: query: {statement: "select 1 as {v}", ident: v: "${§}"}`},
		{name: "a literal of a statement", declared: refusedByVet, runs: refused, step: `sql: query: {statement: "select {v} as v", literals: v: "${§}"}`},
		{name: "a word of a statement", declared: refusedByVet, runs: refused, step: `sql: query: {statement: "select {v} as v", words: v: {of: ["null"], is: "${§}"}}`},
		{name: "a parameter", runs: hidden, step: `sql: query: {statement: "select {v} as v", params: v: "${§}"}`},
		{name: "a parameter that the database refuses", runs: masked, step: `sql: query: {statement: "select json_extract('{}', {v}) as v", params: v: "${§}"}`},
		{name: "a body", runs: hidden, step: `http: {method: "POST", effect: "none", path: "/at", json: k: "${§}"}`},
		{name: "standard input", runs: hidden, step: `exec: {command: ["true"], stdin: "${§}", effect: "none"}`},
		{name: "an output", declared: refusedByVet, runs: hidden, beside: `return: shown: "${§}"`},
		{name: "an output that is secret", runs: hidden, beside: `return: hidden: "${§}"`},
		{name: "the id", declared: refusedByVet, runs: refused, of: true, beside: `id: "${§}"`},
		{name: "the message of a check", runs: masked, of: true, beside: `checks: [{assert: "${len(§) < 3}", message: "checked: ${§}"}]`},
	}
}

// at is the step with the secret in its place.
func (s sink) at(secret string) string {
	text := strings.ReplaceAll(s.step, "§", secret)
	if !strings.HasPrefix(text, "{") {
		text = "{" + text + "}"
	}
	return text
}
