package repair

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/spec/diag"
)

// words is a language of one word per line. A word is a mistake if it is a key, and the value is
// what its edit writes in its place: "" removes the line, "-" stands for a diagnostic without an edit.
type words map[string]string

// evaluate returns an Evaluate for a document, and counts its calls.
func (w words) evaluate(document string, calls *int) Evaluate {
	return func(replaced map[string][]byte) (*build.Built, error) {
		*calls++
		content := []byte(document)
		if text, ok := replaced["doc"]; ok {
			content = text
		}
		built := &build.Built{Sources: diag.Sources{"doc": content}}
		for i, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
			meant, wrong := w[line]
			if !wrong {
				continue
			}
			d := diag.Diagnostic{Severity: diag.Error, Code: "word", Summary: line, Path: fmt.Sprintf("%s.x", line)}
			if strings.HasPrefix(line, "syntax") {
				d.Code = "syntax"
			}
			d.Subject = diag.Range{File: "doc", Start: diag.Position{Line: i + 1, Column: 1}, End: diag.Position{Line: i + 1, Column: len(line) + 1}}
			switch at := d.Subject; meant {
			case "-":
			case "":
				at.End = diag.Position{Line: i + 2, Column: 1}
				d.Suggest(diag.Edit{At: at})
			default:
				d.Suggest(diag.Edit{At: at, Text: meant})
			}
			if built.Findings = append(built.Findings, d); d.Code == "syntax" {
				break // CUE finds nothing else then
			}
		}
		return built, nil
	}
}

func TestRepair(t *testing.T) {
	for name, c := range map[string]struct {
		words          words
		document, want string
		// done are the mistakes that were repaired, left those that are left.
		done, left string
		calls      int
	}{
		"nothing to do":        {words{"a": "-"}, "a\nb\n", "a\nb\n", "", "a", 1},
		"all at once":          {words{"a": "b", "c": "d"}, "a\nx\nc\n", "b\nx\nd\n", "a c", "", 2},
		"one after the other":  {words{"syntax a": "b", "c": "d"}, "syntax a\nc\n", "b\nd\n", "syntax a|c", "", 3},
		"removed":              {words{"a": ""}, "x\na\ny\n", "x\ny\n", "a", "", 2},
		"one does not help":    {words{"a": "b", "c": "bad", "bad": "-", "worse": "-"}, "a\nc\n", "b\nc\n", "a", "c", 4},
		"it stays":             {words{"a": "a"}, "a\n", "a\n", "", "a", 1},
		"two for one":          {words{"a": "b\nc", "b": "-", "c": "-"}, "a\n", "a\n", "", "a", 2},
		"back and forth":       {words{"a": "b", "b": "a"}, "a\n", "a\n", "", "a", 2},
		"a name that is taken": {words{"a": "b", "b": "-"}, "a\nb\n", "b\nb\n", "a", "b b", 2},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			got, err := Repair(c.words.evaluate(c.document, &calls))
			if err != nil {
				t.Fatal(err)
			}
			text := c.document
			if content, ok := got.Files["doc"]; ok {
				text = string(content)
			}
			var done, left []string
			for _, change := range got.Done {
				done = append(done, change.Finding.Summary)
			}
			for _, d := range got.Built.Findings {
				left = append(left, d.Summary)
			}
			want := []any{c.want, strings.Join(strings.FieldsFunc(c.done, func(r rune) bool { return r == '|' }), " "), c.left, c.calls, c.document}
			if diff := cmp.Diff(want, []any{text, strings.Join(done, " "), strings.Join(left, " "), calls, string(got.Before["doc"])}); diff != "" {
				t.Errorf("the text, what was done, what is left, the evaluations, the text before (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRepairShowsLines checks the lines that are shown of a change.
func TestRepairShowsLines(t *testing.T) {
	calls := 0
	got, err := Repair(words{"a": "b", "c": ""}.evaluate("x\na\nc\ny\n", &calls))
	if err != nil || len(got.Done) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	if diff := cmp.Diff([][]string{{"a"}, {"b"}, {"c"}, nil}, [][]string{got.Done[0].Old, got.Done[0].New, got.Done[1].Old, got.Done[1].New}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRepairEnds checks that a spec whose every repair reveals another mistake is not repaired
// forever, and that a failed evaluation is an error.
func TestRepairEnds(t *testing.T) {
	endless := words{}
	for i := range 200 {
		endless[fmt.Sprintf("syntax %d", i)] = fmt.Sprintf("syntax %d", i+1)
	}
	calls := 0
	if _, err := Repair(endless.evaluate("syntax 0\n", &calls)); err != nil || calls > maxEvaluations {
		t.Errorf("%d evaluations, %v", calls, err)
	}
	failure := errors.New("no memory")
	calls = 0
	good := words{"a": "b"}.evaluate("a\n", &calls)
	_, err := Repair(func(replaced map[string][]byte) (*build.Built, error) {
		if replaced != nil {
			return nil, failure
		}
		return good(nil)
	})
	if !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
}
