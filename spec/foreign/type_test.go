package foreign

import (
	"testing"

	"pgregory.net/rapid"
)

func TestParseType(t *testing.T) {
	tests := []struct {
		given, want string // want is "" if the type is not foreign
		optional    bool
		rest        string
	}{
		{given: "integer", want: "int"},
		{given: "String", want: "string"},
		{given: "boolean @replace()", want: "bool", rest: " @replace()"},
		{given: "string?", want: "string", optional: true},
		{given: "string[]", want: "[...string]"},
		{given: "integer[][]", want: "[...[...int]]"},
		{given: "(string | integer)[]", want: "[...(string | int)]"},
		{given: "[]string", want: "[...string]"},
		{given: "map[string]string", want: "{[string]: string}"},
		{given: "map[string][]int", want: "{[string]: [...int]}"},
		{given: "map(string)", want: "{[string]: string}"},
		{given: "list(number)", want: "[...number]"},
		{given: "Array<string>", want: "[...string]"},
		{given: "Record<string, Array<boolean>>", want: "{[string]: [...bool]}"},
		{given: "Dict[str, int]", want: "{[string]: int}"},
		{given: "Optional[str]", want: "string", optional: true},
		{given: "List[Optional[int]]", want: "[...int]"},
		{given: "string | undefined", want: "string", optional: true},
		{given: "string | None", want: "string | null"},
		{given: `"a" | str`, want: `"a" | string`},
		{given: "#Pet[]", want: "[...#Pet]"},
		{given: "string[] // names", want: "[...string]", rest: " // names"},
		{given: "any", want: "_"},
		{given: "string"},
		{given: "[...string]"},
		{given: `"a" | "b"`},
		{given: "#Pet"},
		{given: "Pet"},
		{given: "foo<bar>"},
		{given: "string | "},
		{given: "list(string"},
		{given: ""},
	}
	for _, test := range tests {
		got, ok := ParseType(test.given)
		switch {
		case ok != (test.want != ""), got.CUE != test.want, got.Optional != test.optional:
			t.Errorf("ParseType(%q) is %+v, %v; want %q, optional: %v", test.given, got, ok, test.want, test.optional)
		case ok && test.given[got.Len:] != test.rest:
			t.Errorf("ParseType(%q) leaves %q, want %q", test.given, test.given[got.Len:], test.rest)
		}
	}
}

// TestParseTypeEnds checks that any text ends, and that no more than the text is consumed.
func TestParseTypeEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("[]()<>,|?#\"strmapli "))).Draw(t, "text")
		if got, ok := ParseType(text); ok && (got.Len <= 0 || got.Len > len(text) || got.CUE == "") {
			t.Fatalf("ParseType(%q) is %+v", text, got)
		}
	})
}
