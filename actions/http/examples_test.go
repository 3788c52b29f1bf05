package http

import (
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/load"
)

// TestExamples loads each documented example, checks it as vet does, and runs it.
func TestExamples(t *testing.T) {
	for _, e := range kind(defaults()).Examples {
		t.Run(e.Summary, func(t *testing.T) {
			asked := map[string]bool{}
			ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
				request := r.Method + " " + r.RequestURI
				a, ok := e.Responses[request]
				if !ok {
					t.Errorf("unexpected request %q", request)
				}
				asked[request] = true
				for name, value := range a.Headers {
					w.Header().Set(name, value)
				}
				if a.Body != "" {
					w.Header().Set("Content-Type", "application/json")
				}
				w.WriteHeader(max(a.Status, 0) + 200*boolToInt(a.Status == 0))
				_, _ = io.WriteString(w, a.Body)
			})
			c := compileStep(t, ts, e.Spec)
			c.Key, c.ETags = "key", `"etag"`
			ts.done(ts.kind.Run(t.Context(), c))
			if len(asked) != len(e.Responses) {
				t.Errorf("it sent %d of %d requests", len(asked), len(e.Responses))
			}
		})
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// parseStep returns the action of a step that is written in CUE.
func parseStep(t *testing.T, step string) *spec.Node {
	t.Helper()
	text := "package x\nname: \"xy\"\nversion: \"1.0.0\"\nresources: R: {inputs: {}, id: \"x\", create: " + step + "}\n"
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte(text), Format: "cue"})
	if diags.HasErrors() {
		t.Fatalf("%s: %+v", step, diags)
	}
	return doc.Provider.Resources[0].Create.Steps[0].Actions[0].Value
}

// staticFor returns the static facts about the step, with a baseURL.
func staticFor(t *testing.T, n *spec.Node) actions.Static {
	t.Helper()
	s := actions.Static{Nodes: map[string]*spec.Node{"baseURL": {Kind: spec.StringNode, Text: "https://x.test"}}, Literals: map[string]any{}}
	for _, f := range n.Fields {
		s.Nodes[f.Name] = f.Value
		if v, diags := expr.Compile(f.Value, &expr.Scope{Names: []expr.Name{{Name: "body"}, {Name: "inputs"}}}, nil); !diags.HasErrors() {
			if literal, ok := v.Const(); ok {
				s.Literals[f.Name] = literal
			}
		}
	}
	return s
}

// compileStep returns the call of a step without references.
func compileStep(t *testing.T, ts *testServer, step string) *actions.Call {
	t.Helper()
	n := parseStep(t, step)
	s := staticFor(t, n)
	if faults := ts.kind.Analyze(s).Faults; len(faults) > 0 {
		t.Fatalf("%s: %+v", step, faults)
	}
	c := ts.call("", nil)
	for _, f := range n.Fields {
		i := slices.IndexFunc(ts.kind.Args, func(a actions.Arg) bool { return a.Name == f.Name })
		if i < 0 {
			t.Fatalf("unknown argument %q", f.Name)
		}
		decl := &ts.kind.Args[i]
		rest, inner := decl.Split(f.Value)
		for name, part := range inner {
			bind(t, c, ts.kind, s, name, part, decl.InnerMode(name), nil)
		}
		bind(t, c, ts.kind, s, f.Name, rest, decl.Mode, decl.Type)
	}
	return c
}

// bind compiles an argument, or part of one, by its mode.
func bind(t *testing.T, c *actions.Call, kind *actions.Kind, s actions.Static, name string, n *spec.Node, mode actions.Mode, want *spec.Type) {
	t.Helper()
	scope := &expr.Scope{}
	if mode == actions.Late {
		for _, p := range kind.LateScope(s, name) {
			scope.Names = append(scope.Names, expr.Name{Name: p.Name, Type: p.Type})
		}
	}
	v, diags := expr.Compile(n, scope, want)
	if diags.HasErrors() {
		t.Fatalf("%s: %+v", name, diags)
	}
	switch mode {
	case actions.Late:
		c.Late[name] = func(extra map[string]any) (any, error) { return v.Eval(&expr.Vars{Values: extra}) }
	case actions.Path:
		parts, err := v.Parts(&expr.Vars{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			c.Parts[name] = append(c.Parts[name], spec.Part{Text: p.Text, Literal: p.Literal})
		}
	default:
		value, err := v.Eval(&expr.Vars{})
		if err != nil {
			t.Fatal(err)
		}
		c.Args[name] = value
	}
}

// TestCheck checks the mistakes that vet finds.
func TestCheck(t *testing.T) {
	for step, want := range map[string]string{
		`http: path: "/a/${inputs.b}"`:                                                  "",
		`http: path: "/a/${merge({a: \"}#\"}, {b: \"/../\"}).b}/c"`:                     "",
		`http: path: "/a/$${x}/../b"`:                                                   "path",
		`http: path: "/a/../b"`:                                                         "path",
		`http: path: "/a//b"`:                                                           "path",
		`http: url: "https://x.test/a/../b"`:                                            "url",
		`http: url: "https://${inputs.b}.x.test:8080/a"`:                                "",
		`http: url: "${inputs.b}"`:                                                      "",
		`http: {path: "/", headers: "${inputs.b}"}`:                                     "headers",
		`http: {path: "/", headers: "X Y": "a"}`:                                        "headers X Y",
		`http: {path: "/", headers: Host: "a"}`:                                         "headers Host",
		`http: {path: "/", headers: "X-A": "${inputs.b}"}`:                              "",
		`http: {path: "/", auth: {bearer: "a", basic: {username: "a", password: "b"}}}`: "auth",
		`http: {path: "/", auth: [{bearer: "a"}, {sigv4: {service: "s", region: "r", accessKey: "a", secretKey: "b"}}]}`: "auth 1",
		`http: {path: "/", auth: [{bearer: "a"}, {apiKey: {header: "X-A", value: "b"}}, {origins: ["https://a.test"]}]}`: "",
		`http: {path: "/", auth: [{bearer: "a", digest: {username: "a", password: "b"}}]}`:                               "auth 0",
		`http: {path: "/", auth: [{login: {token: "${body.t}"}}]}`:                                                       "auth 0.login.http",
		`http: {path: "/", auth: sign: {}}`:                                                                                                               "auth sign",
		`http: {path: "/", auth: sign: headers: "${{a: 1}}"}`:                                                                                             "auth sign.headers",
		`http: {path: "/", auth: sign: headers: {"X Y": "a", Host: "b"}}`:                                                                                 "auth sign.headers.Host",
		`http: {path: "/", auth: sign: {headers: "X-Y": "${now}", query: t: "${now.Unix()}"}}`:                                                            "",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", grant: "password", username: "a", password: "b"}}`:                                  "",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", grant: "password", username: "a"}}`:                                                 "auth oauth2",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", clientID: "a"}}`:                                                                    "auth oauth2",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", clientID: "a", clientSecret: "b"}}`:                                                 "",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", clientID: "a", clientAssertion: jwt: {alg: "HS256", key: "k"}}}`:                    "",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", clientID: "a", clientSecret: "b", clientAssertion: jwt: {alg: "HS256", key: "k"}}}`: "auth oauth2.clientAssertion",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", clientID: "a", clientSecret: "b", refreshToken: "c"}}`:                              "auth oauth2.refreshToken",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", grant: "refresh_token", refreshToken: "c", clientSecret: "b"}}`:                     "auth oauth2",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", grant: "${config.grant}"}}`:                                                         "auth oauth2.grant",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", grant: "jwt-bearer", assertion: jwt: {alg: "HS256", key: "k"}}}`:                    "",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", grant: "token-exchange", subjectToken: "t", subjectTokenType: "x"}}`:                "",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", grant: "token-exchange", subjectToken: "t", params: subject_token: "u"}}`:           "auth oauth2.params.subject_token",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", clientID: "a", clientSecret: "b", scopes: ["s"], params: scope: "t"}}`:              "auth oauth2.params.scope",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", clientID: "a", clientSecret: "b", params: scope: "t"}}`:                             "",
		`http: {path: "/", auth: oauth2: {tokenURL: "https://t.test", clientID: "a", clientSecret: "b", params: grant_type: "x"}}`:                        "auth oauth2.params.grant_type",
		`http: {path: "/", tls: {cert: "c", key: "k"}, auth: oauth2: {tokenURL: "https://t.test", clientID: "a"}}`:                                        "",
		`http: {path: "/", auth: login: {http: {path: "/l", auth: oauth2: {}}, token: "${body.t}"}}`:                                                      "auth login.http.auth.oauth2",
		`http: {path: "/", auth: {}}`:                                                                    "auth",
		`http: {path: "/", auth: "none"}`:                                                                "",
		`http: {path: "/", auth: apiKey: {header: "a", query: "b", value: "c"}}`:                         "auth apiKey",
		`http: {path: "/", auth: login: {token: "${body.t}"}}`:                                           "auth login.http",
		`http: {path: "/", auth: login: {http: path: "/l"}}`:                                             "auth login.token",
		`http: {path: "/", auth: login: {http: {path: "/l", url: "x"}, token: "${body.t}"}}`:             "auth login.http",
		`http: {path: "/", auth: login: {http: {path: "/l", paginate: link: true}, token: "${body.t}"}}`: "auth login.http.paginate",
		`http: {path: "/", paginate: link: true}`:                                                        "paginate",
		`http: {path: "/", paginate: {link: true, page: param: "p"}, items: "${body}"}`:                  "paginate",
		`http: {path: "/", paginate: cursor: param: "p", items: "${body}"}`:                              "paginate cursor",
		`http: {path: "/", paginate: cursor: next: "${body.n}", items: "${body}"}`:                       "paginate cursor",
		`http: {path: "/", timeout: "soon"}`:                                                             "timeout",
		`http: {path: "/", rateLimit: {requests: 1, per: "day"}}`:                                        "rateLimit",
		`http: {path: "/", tls: insecure: true}`:                                                         "tls insecure",
	} {
		got := ""
		for _, f := range check(staticFor(t, parseStep(t, step))) {
			got = f.Argument
			if f.Path != "" {
				got += " " + f.Path
			}
			if f.Summary == "" || f.Remedy == "" || f.Warning != (f.Argument == "tls") {
				t.Errorf("%s: %+v", step, f)
			}
		}
		if got != want {
			t.Errorf("%s: fault %q, want %q", step, got, want)
		}
	}
	if faults := check(actions.Static{Nodes: map[string]*spec.Node{"path": {Kind: spec.StringNode, Text: "/"}}}); len(faults) != 1 || faults[0].Argument != "path" {
		t.Errorf("path without baseURL: %+v", faults)
	}
}

// TestGrants checks the grants of a family and of a request.
func TestGrants(t *testing.T) {
	text := func(grants []actions.Grant) (out []string) {
		for _, g := range grants {
			if g.Access != grant.Connect {
				t.Errorf("access %d", g.Access)
			}
			out = append(out, g.Pattern.Text)
		}
		return out
	}
	s := staticFor(t, parseStep(t, `http: {path: "/a", proxy: "http://p.test", auth: oauth2: {tokenURL: "${config.t}", clientID: "a", clientSecret: "b"}}`))
	if got, want := text(familyGrants(s)), []string{"https://x.test", "http://p.test", "${config.t}"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	s = staticFor(t, parseStep(t, `http: {url: "https://y.test/${inputs.a}"}`))
	if got, want := text(requestGrants(s)), []string{"https://y.test/${inputs.a}"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	s = staticFor(t, parseStep(t, `http: {path: "/", auth: login: {http: url: "https://l.test/", token: "${body.t}"}}`))
	if got, want := text(requestGrants(s)), []string{"https://x.test", "https://l.test/"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
