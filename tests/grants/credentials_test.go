package grants

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// TestCredentialsBelongToTheirBlock: who names where a request goes does not name who
// gets the credentials. Each case says what the other server sees.
func TestCredentialsBelongToTheirBlock(t *testing.T) {
	t.Parallel()
	const bearer, header = " Authorization=Bearer hunter2", " X-Key=hunter3"
	for name, tc := range map[string]struct {
		defaults, step string
		want           []string // by the other server
		home           []string // by that of baseURL
		refused        string   // what the error says, "" where it works
	}{
		"at home": {`auth: bearer: "hunter2"`, `path: "/x"`, nil, []string{"GET /x" + bearer + header}, ""},
		"a baseURL of its own": {
			`auth: bearer: "hunter2"`, `{baseURL: "${config.other}", path: "/x"}`, []string{"GET /x"}, nil, "",
		},
		"a URL of its own": {`auth: bearer: "hunter2"`, `url: "${config.other}/x"`, []string{"GET /x"}, nil, ""},
		"a host made of values": {
			`auth: bearer: "hunter2"`, `url: "http://${config.host}:${config.port}/x"`, []string{"GET /x"}, nil, "",
		},
		"a key for the query": {
			`auth: apiKey: {query: "k", value: "hunter2"}`, `url: "${config.other}/x"`, []string{"GET /x"}, nil, "",
		},
		"a URL that the server names": {
			`auth: bearer: "hunter2"`, `STEPS`, []string{"GET /named"}, []string{"GET /where" + bearer + header}, "",
		},
		"a redirect": {
			`{auth: bearer: "hunter2", redirects: "same-origin"}`, `path: "/away"`, nil, []string{"GET /away" + bearer + header}, "another origin",
		},
		"a link": {
			`auth: bearer: "hunter2"`, `{path: "/linked", items: "${body.items}", paginate: link: true}`, nil, []string{"GET /linked" + bearer + header}, "another origin",
		},
		"a login, at a step's baseURL": {
			`auth: login: {http: {path: "/login", json: {password: "hunter2"}}, token: "${body.token}"}`,
			`{baseURL: "${config.other}", path: "/x"}`,
			[]string{"GET /x"},
			nil, "",
		},
		"a login, at another path of the same origin": {
			`auth: login: {http: {path: "/login", json: {password: "hunter2"}}, token: "${body.token}"}`,
			`{baseURL: "${config.home}/v2", path: "/x"}`, nil,
			[]string{"POST /login", "GET /v2/x Authorization=Bearer given" + header},
			"",
		},
		"asked for, and listed": {
			`auth: {bearer: "hunter2", origins: ["${config.other}"]}`, `{url: "${config.other}/x", auth: "default"}`, []string{"GET /x" + bearer + header}, nil, "",
		},
		"listed, and not asked for": {
			`auth: {bearer: "hunter2", origins: ["${config.other}"]}`, `url: "${config.other}/x"`, []string{"GET /x"}, nil, "",
		},
		"asked for, and not listed": {
			`auth: {bearer: "hunter2", origins: ["https://elsewhere.test"]}`, `{url: "${config.other}/x", auth: "default"}`, nil, nil, "does not list",
		},
		"asked for, at home": {`auth: bearer: "hunter2"`, `{path: "/x", auth: "default"}`, nil, []string{"GET /x" + bearer + header}, ""},
		"of the step, to where it goes": {
			`auth: "none"`, `{baseURL: "${config.other}", path: "/x", auth: bearer: "hunter4"}`, []string{"GET /x Authorization=Bearer hunter4"}, nil, "",
		},
		"of the step, to where a value says": {
			`auth: "none"`, `{url: "${config.other}/x", auth: bearer: "hunter4"}`, []string{"GET /x"}, nil, "",
		},
		"of the step, to what it lists": {
			`auth: "none"`, `{url: "${config.other}/x", auth: {bearer: "hunter4", origins: ["${config.other}"]}}`, []string{"GET /x Authorization=Bearer hunter4"}, nil, "",
		},
		"none": {`auth: bearer: "hunter2"`, `{path: "/x", auth: "none"}`, nil, []string{"GET /x" + header}, ""},
		"a header that is left out": {
			`auth: bearer: "hunter2"`, `{path: "/x", headers: {"X-Key": null}}`, nil, []string{"GET /x" + bearer}, "",
		},
		"beside a header of its own": {
			`auth: bearer: "hunter2"`, `{url: "${config.other}/x", headers: {"X-Plain": "1"}}`, []string{"GET /x"}, nil, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := newSite(t, nil)
			home := newSite(t, func(_ *site, w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/where":
					fmt.Fprintf(w, `{"url": %q}`, other.URL+"/named")
				case "/away":
					http.Redirect(w, r, other.URL+"/there", http.StatusFound)
				case "/linked":
					w.Header().Set("Link", "<"+other.URL+`/next>; rel="next"`)
					fmt.Fprint(w, `{"items": [1]}`)
				case "/login":
					fmt.Fprint(w, `{"token": "given"}`)
				default:
					fmt.Fprint(w, "{}")
				}
			})
			step := `return: {}, http: ` + braced(tc.step)
			if strings.Contains(tc.step, "paginate") {
				step = `return: {n: "${len(result.items)}"}, http: ` + braced(tc.step)
			}
			if tc.step == "STEPS" {
				step = `return: {}, steps: [{as: "where", http: path: "/where"}, {http: url: "${steps.where.body.url}"}]`
			}
			host, port, _ := strings.Cut(strings.TrimPrefix(other.URL, "http://"), ":")
			d := serve(t, `
permissions: hosts: ["${config.home}", "${config.other}"]
config: {home: string, other: string, host: string, port: string, key: string @secret()}
http: {baseURL: "${config.home}", headers: "X-Key": "${config.key}"}
http: `+braced(tc.defaults)+`
functions: go: {outputs: n?: int, `+step+`}`, t.TempDir(), map[string]property.Value{
				"home": property.New(home.URL), "other": property.New(other.URL), "host": property.New(host), "port": property.New(port),
				"key": property.New("hunter3").WithSecret(true),
			})
			failed := d.invoke("go", nil)
			if (failed == "") != (tc.refused == "") || !strings.Contains(failed, tc.refused) {
				t.Errorf("it fails with %q, want %q", failed, tc.refused)
			}
			if diff := gocmp(tc.want, other.asked()); diff != "" {
				t.Errorf("the other server (-want +got): %s", diff)
			}
			if diff := gocmp(tc.home, home.asked()); diff != "" {
				t.Errorf("the server of baseURL (-want +got): %s", diff)
			}
		})
	}
}

// TestCredentialsNeedAnOrigin: vet refuses credentials that belong to no origin.
func TestCredentialsNeedAnOrigin(t *testing.T) {
	t.Parallel()
	const config = "config: {at: string, key: string @secret()}\npermissions: hosts: [\"${config.at}\", \"https://a.test\", \"https://*.a.test\"]\n"
	for name, tc := range map[string]struct {
		spec   string
		passes bool
	}{
		"auth":                       {`http: auth: bearer: "${config.key}"`, false},
		"auth with origins":          {`http: auth: {bearer: "${config.key}", origins: ["${config.at}"]}`, true},
		"auth with baseURL":          {`http: {baseURL: "${config.at}", auth: bearer: "${config.key}"}`, true},
		"secret headers":             {`http: headers: "X-Key": "${config.key}"`, false},
		"secret headers and origins": {`http: {headers: {"X-Key": "${config.key}"}, auth: origins: ["https://a.test"]}`, true},
		"plain headers":              {`http: headers: "X-Plain": "1"`, true},
		"no auth":                    {`http: auth: "none"`, true},
		"a default of a default":     {`http: auth: "default"`, false},
		"a step":                     {stepOf(`{url: "${config.at}/x", auth: bearer: "${config.key}"}`), false},
		"a step that spells it":      {stepOf(`{url: "https://a.test/${config.at}", auth: bearer: "${config.key}"}`), true},
		"a step below a name":        {stepOf(`{url: "https://${config.at}.a.test/x", auth: bearer: "${config.key}"}`), true},
		"a step below a top name":    {stepOf(`{url: "https://${config.at}.test/x", auth: bearer: "${config.key}"}`), false},
		"a step before a value":      {stepOf(`{url: "https://a.${config.at}/x", auth: bearer: "${config.key}"}`), false},
		"a step with a list":         {stepOf(`{url: "${config.at}/x", auth: {bearer: "${config.key}", origins: ["https://a.test"]}}`), true},
		"a wildcard":                 {stepOf(`{url: "${config.at}/x", auth: {bearer: "${config.key}", origins: ["https://*.a.test"]}}`), false},
		"a request for nothing":      {stepOf(`{url: "https://a.test/x", auth: "default"}`), false},
		"a request that is listed":   {`http: {baseURL: "${config.at}", auth: {bearer: "${config.key}", origins: ["https://a.test"]}}` + "\n" + stepOf(`{url: "https://a.test/x", auth: "default"}`), true},
		"one that is not":            {`http: {baseURL: "${config.at}", auth: {bearer: "${config.key}", origins: ["https://a.test:8443"]}}` + "\n" + stepOf(`{url: "https://a.test/x", auth: "default"}`), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if said, passes := vet(t, config+tc.spec); passes != tc.passes || !passes && !strings.Contains(said, `"bad-call"`) && !strings.Contains(said, `"wrong-value"`) {
				t.Errorf("passes: %v\n%s", passes, said)
			}
		})
	}
}

// TestTokensAreNotShared: logins that differ in anything that decides the token have
// tokens of their own, and those that do not share one.
func TestTokensAreNotShared(t *testing.T) {
	t.Parallel()
	tokens := newSite(t, func(s *site, w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/login") {
			fmt.Fprintf(w, `{"a": "a%[1]d", "b": {"b": "b%[1]d"}, "alice": "alice%[1]d", "bob": "bob%[1]d"}`, len(s.asked()))
			return
		}
		fmt.Fprint(w, "{}")
	})
	login := func(name, request, token string) string {
		return fmt.Sprintf(`functions: %s: {inputs: who: string, outputs: {}, http: {path: "/%[1]s", auth: login: {http: %s, token: %q}}, return: {}}`+"\n", name, request, token)
	}
	d := serve(t, `
config: at: string
http: baseURL: "${config.at}"
`+login("first", `{path: "/login", json: {user: "u"}}`, "${body.a}")+
		login("same", `{path: "/login", json: {user: "u"}}`, "${body.a}")+
		login("other", `{path: "/login", json: {user: "u"}}`, "${body.b.b}")+
		login("body", `{path: "/login", json: {user: "v"}}`, "${body.a}")+
		login("header", `{path: "/login", json: {user: "u"}, headers: {"X-Key": "k"}}`, "${body.a}")+
		login("basic", `{path: "/login", json: {user: "u"}, auth: basic: {username: "x", password: "y"}}`, "${body.a}")+
		login("query", `{path: "/login", json: {user: "u"}, query: {x: "1"}}`, "${body.a}")+
		login("place", `{path: "/login/of/another", json: {user: "u"}}`, "${body.a}")+
		login("method", `{path: "/login", json: {user: "u"}, method: "PUT"}`, "${body.a}")+
		login("chosen", `{path: "/login", json: {user: "u"}}`, "${body[inputs.who]}"),
		t.TempDir(), map[string]property.Value{"at": property.New(tokens.URL)})
	used := map[string]string{}
	for _, call := range []string{"first", "same", "other", "body", "header", "basic", "query", "place", "method", "chosen alice", "chosen bob", "chosen alice", "first"} {
		name, who, _ := strings.Cut(call, " ")
		before := len(tokens.asked())
		if failed := d.invoke(name, map[string]property.Value{"who": property.New(who)}); failed != "" {
			t.Fatalf("%s: %s", call, failed)
		}
		asked := tokens.asked()[before:]
		_, token, _ := strings.Cut(asked[len(asked)-1], "Bearer ")
		if again, known := used[call]; known && again != token {
			t.Errorf("%s has another token the second time: %s, then %s", call, again, token)
		}
		used[call] = token
	}
	if used["first"] != used["same"] {
		t.Errorf("the same login has two tokens: %s, %s", used["first"], used["same"])
	}
	delete(used, "same")
	owners := map[string]string{}
	for call, token := range used {
		if other := owners[token]; other != "" {
			t.Errorf("%s and %s share the token %s", call, other, token)
		}
		owners[token] = call
	}
	if !strings.HasPrefix(used["other"], "b") || !strings.HasPrefix(used["chosen bob"], "bob") {
		t.Errorf("the tokens are %v", used)
	}
}

func stepOf(http string) string {
	return "functions: go: {outputs: {}, http: " + http + ", return: {}}"
}

// braced is CUE text as the value of a field: a struct, if it is not one already.
func braced(text string) string {
	if strings.HasPrefix(text, "{") {
		return text
	}
	return "{" + text + "}"
}

// gocmp compares lists, of which an empty one is as good as none.
func gocmp(want, got []string) string {
	return cmp.Diff(append([]string{}, want...), append([]string{}, got...))
}
