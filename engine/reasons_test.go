package engine_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// refusing starts a server that refuses all, and returns a function that updates a resource from one password to another
// there, and returns the error. The server responds with a status and a body.
func refusing(t *testing.T) func(old, sent string, status int, body any) string {
	t.Helper()
	var status int
	var text []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(text)
	}))
	t.Cleanup(server.Close)
	e, _ := newWorld().engine(t, `http: baseURL: "`+server.URL+`"
resources: User: {
	inputs: {name: string @replace(), password: string @secret() @noRead(), apiToken?: string @secret() @noRead() @wire(api_token)}
	id: "${inputs.name}"
	create: http: {method: "PUT", path: "/x", json: "${inputs}"}
	read: http: path: "/x"
	update: http: {method: "PUT", path: "/x", json: "${changes}"}
	delete: http: {method: "DELETE", path: "/x"}
}`)
	with := func(password string) property.Map {
		return object("name", "n", "password", property.New(password).WithSecret(true))
	}
	return func(old, sent string, answer int, body any) string {
		t.Helper()
		var err error
		if text, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
		status = answer
		out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("User"), State: engine.State{ID: "n", Inputs: with(old), Outputs: with(old)}, Inputs: with(sent)})
		if out.Err == nil {
			t.Fatal("the update succeeds")
		}
		return out.Err.Error()
	}
}

// shapesOfReasons are the ways in which servers file what is wrong with a value under its name.
var shapesOfReasons = map[string]func(name string, v any) any{
	"a text":            func(name string, v any) any { return map[string]any{name: v} },
	"a list":            func(name string, v any) any { return map[string]any{name: []any{v}} },
	"under errors":      func(name string, v any) any { return map[string]any{"errors": map[string]any{name: []any{v}}} },
	"an object":         func(name string, v any) any { return map[string]any{name: map[string]any{"message": v}} },
	"a list of objects": func(name string, v any) any { return map[string]any{name: []any{map[string]any{"message": v}}} },
}

// TestReasonsAreShown: what validators say of a secret that they refuse is shown.
func TestReasonsAreShown(t *testing.T) {
	t.Parallel()
	refuse := refusing(t)
	for name, reasons := range map[string][]string{
		"password": {
			"This password is too short. It must contain at least 8 characters.", "This password is too common.", "This password is entirely numeric.",
			"The password is too similar to the username.", "This field may not be blank.", "Ensure this field has at least 12 characters.", // Django
			"is too short (minimum is 8 characters)", "can't be blank", "doesn't match Password", // Rails
			"The password field must be at least 8 characters.", "The password field must contain at least one uppercase and one lowercase letter.", // Laravel
			"Passwords must have at least one non alphanumeric character.", // ASP.NET
			"The 'password' field is required.", "size must be between 8 and 64", "must not be null", "String length must be greater than or equal to 8",
		},
		"api_token": {"This api token is not valid.", "The api_token has already been taken.", "token_too_short", "Api token can’t be empty"},
	} {
		for _, reason := range reasons {
			for shape, of := range shapesOfReasons {
				for _, status := range []int{400, 409, 422} {
					if text := refuse("0ld-Xyzzy-77", "qwx7#Zv", status, of(name, reason)); !strings.Contains(text, reason) {
						t.Errorf("%s: %q is not shown: %s", shape, reason, text)
					}
				}
			}
		}
	}
}

// TestNoFormOfASecretIsAReason: a secret, new, recorded or known to the server only, in any changed form is not
// shown under its name.
func TestNoFormOfASecretIsAReason(t *testing.T) {
	t.Parallel()
	refuse := refusing(t)
	known := []string{"hunter22", " Tr0ub4dor&3 ", "correct horse battery staple", "must contain at least", "Too Short And Too Common", "password is invalid", "PassworD", "12 34 56 78", "471147114711"}
	forms := map[string]func(s string) string{
		"itself": func(s string) string { return s }, "trimmed": strings.TrimSpace, "in upper case": strings.ToUpper, "in lower case": strings.ToLower,
		"its beginning": func(s string) string { return s[:len(s)*2/3] }, "its end": func(s string) string { return s[len(s)/3:] },
		"its middle":       func(s string) string { return s[1 : len(s)-1] },
		"masked in part":   func(s string) string { return s[:2] + "******" + s[len(s)-2:] },
		"its first half":   func(s string) string { return s[:len(s)/2] + "…" },
		"hashed":           func(s string) string { sum := sha256.Sum256([]byte(s)); return hex.EncodeToString(sum[:]) },
		"in base64":        func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"backwards":        func(s string) string { r := []rune(s); slices.Reverse(r); return string(r) },
		"letter by letter": func(s string) string { return strings.Join(strings.Split(s, ""), " ") },
		"without spaces":   func(s string) string { return strings.ReplaceAll(s, " ", "") },
		"with underscores": func(s string) string { return strings.ReplaceAll(s, " ", "_") },
	}
	around := []string{"%", "The password % is too short.", "is too common: %", "'%' must not be used"}
	try := func(what, form, old, sent string, around ...string) {
		for _, text := range around {
			reason, all := strings.ReplaceAll(text, "%", form), map[string]any{}
			for shape, of := range shapesOfReasons {
				all[shape] = of("password", reason)
			}
			if shown := refuse(old, sent, 400, all); strings.Count(shown, `"[secret]"`) < len(all) || strings.Contains(shown, reason) {
				t.Errorf("%s: %q is shown: %s", what, reason, shown)
			}
		}
	}
	for _, secret := range known {
		for form, of := range forms {
			try("the new one, "+form, of(secret), "0ld-Xyzzy-77", secret, around...)
			try("the recorded one, "+form, of(secret), secret, "N3w-Plugh-88", around...)
		}
	}
	// Those of which only the server knows.
	for _, secret := range []string{"hunter22", "correct horse battery staple", "dragon", "4711", "1 2 3 4", "!?.,;:!?", "pass-9x", "MuST bE ShORt", "-----BEGIN OPENSSH PRIVATE KEY-----"} {
		try("an unknown one", secret, "0ld-Xyzzy-77", "N3w-Plugh-88", around...)
	}
	for _, word := range []string{"invalid", "blank", "strong", "Must"} { // one of the words of reasons
		try("an unknown one", word, "0ld-Xyzzy-77", "N3w-Plugh-88", "%", "is too common: %", "«%» must not be used", "\"%\" must not be used")
	}
	// A response that is no refusal may show the object.
	for _, status := range []int{500, 501} {
		if shown := refuse("0ld-Xyzzy-77", "N3w-Plugh-88", status, map[string]any{"password": "is too short"}); strings.Contains(shown, "short") {
			t.Errorf("%d shows %s", status, shown)
		}
	}
}
