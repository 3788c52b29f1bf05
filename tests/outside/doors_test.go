package outside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/signing"
)

// Values enter by different ways: as text of a server's, a command's or a user's, and in
// the host's own messages. What no way may let in is one table.

// unsayable marks what cannot be written in the host's messages: it has its own number
// there, and text that is UTF-8.
const unsayable = "unsayable"

// badDocs are documents that nothing may take for a #Doc; and beside them, which ways take
// them all the same, and why.
var badDocs = map[string]struct {
	text  string
	takes map[string]string
}{
	"a number too small to be held": {`{"size": 1e-99999}`, map[string]string{"request": unsayable, "recorded": unsayable}},
	"a number too large to be held": {`{"size": 1e99999}`, map[string]string{"request": unsayable, "recorded": unsayable}},
	"a number of too many digits":   {`{"list": [123456789012345678901234567890]}`, map[string]string{"request": unsayable, "recorded": unsayable}},
	"too many values": {`{"any": [` + strings.TrimSuffix(strings.Repeat("1,", 400), ",") + `]}`, map[string]string{
		"recorded": "what is recorded was counted when it came, and can always be removed",
	}},
	"too deep a value": {`{"any": ` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, nil},
	"a signature":      {`{"any": {"` + sig.Key + `": "not one that there is"}}`, nil},
	"a key that is a marker": {`{"any": {"` + signing.Markers[0] + `": 1}}`, map[string]string{
		"recorded": "the host's own messages say what is a marker, and a name is none",
	}},
	"the unknown marker": {`{"text": "` + signing.Markers[0] + `"}`, map[string]string{
		"request":  "in the host's own messages it is what is not known yet",
		"recorded": "in the host's own messages it is what is not known yet",
	}},
	"invalid UTF-8": {"{\"text\": \"\xff\"}", map[string]string{"setting": unsayable, "request": unsayable, "recorded": unsayable}},
	"another kind":  {`{"list": "none"}`, nil},
	"another item":  {`{"list": [1, {}]}`, nil},
	"part of one":   {`{"list": [1.5]}`, nil},
	"no object":     {`[1]`, nil},
}

// entries are the ways in, with a document as JSON.
func entries(t *testing.T) map[string]func(ctx context.Context, text string) error {
	t.Setenv("DECLPROV_JOURNAL", t.TempDir())
	dir, said := t.TempDir(), ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, said)
	}))
	t.Cleanup(server.Close)
	endpoint := property.New(server.URL)
	p := provider.Configured(t, provider.Folder(t, "doors", "tests/outside/testdata/doors.cue"), "doors", dir, map[string]property.Value{"endpoint": endpoint})
	ask := func(ctx context.Context, function string, args *structpb.Struct) error {
		res, err := p.Raw().Invoke(ctx, &pulumirpc.InvokeRequest{Tok: "doors:index:" + function, Args: args})
		if failures := res.GetFailures(); err == nil && len(failures) > 0 {
			return fmt.Errorf("%v", failures)
		}
		return err
	}
	return map[string]func(ctx context.Context, text string) error{
		"response": func(ctx context.Context, text string) error {
			said = text
			return ask(ctx, "response", nil)
		},
		"expression": func(ctx context.Context, text string) error {
			said = text
			return ask(ctx, "decoded", nil)
		},
		"output": func(ctx context.Context, text string) error {
			if err := os.WriteFile(filepath.Join(dir, "doc.json"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return ask(ctx, "printed", nil)
		},
		"setting": func(ctx context.Context, text string) error {
			checked, err := p.Raw().CheckConfig(ctx, &pulumirpc.CheckRequest{
				Urn:  "urn:pulumi:dev::p::pulumi:providers:doors::it",
				News: object(t, map[string]any{"endpoint": server.URL, "doc": text}),
			})
			if err == nil && len(checked.Failures) > 0 {
				return fmt.Errorf("%v", checked.Failures)
			}
			return err
		},
		"request": func(ctx context.Context, text string) error {
			return ask(ctx, "echo", object(t, map[string]any{"doc": plain(t, text)}))
		},
		"recorded": func(ctx context.Context, text string) error {
			urn := p.URN(client.Resource{Type: "doors:index:Kept", Name: "it"})
			state := object(t, map[string]any{"name": "a", "doc": plain(t, text)})
			_, err := p.Raw().Diff(ctx, &pulumirpc.DiffRequest{
				Id: "a", Urn: urn, Type: "doors:index:Kept", Name: "it", OldInputs: state, Olds: state,
				News: object(t, map[string]any{"name": "a", "doc": map[string]any{}}),
			})
			return err
		},
	}
}

// plain is a document as it is in a message.
func plain(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestDoorsRefuseAlike: what is no document is refused by every way in, or the table says
// why one takes it; and each takes what is a document.
func TestDoorsRefuseAlike(t *testing.T) {
	for way, enter := range entries(t) {
		if err := enter(t.Context(), `{"size": 0.10000000000000001, "text": "a", "list": [1, 2.0], "any": {"b": [null, true]}}`); err != nil {
			t.Errorf("%s refuses a document: %v", way, err)
		}
		for name, bad := range badDocs {
			why, takes := bad.takes[way]
			if why == unsayable {
				continue
			}
			err := enter(t.Context(), bad.text)
			if takes != (err == nil) || errors.Is(err, context.Canceled) {
				t.Errorf("%s: %s: %.300v", way, name, err)
			}
		}
	}
}
