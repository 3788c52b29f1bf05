package value

import (
	"testing"

	"github.com/declprov/declprov/spec/decode"
)

// TestIDsThatAreNoText: half a character in a response becomes U+FFFD, so several ids would be the same.
func TestIDsThatAreNoText(t *testing.T) {
	for text, ok := range map[string]bool{
		`"a"`: true, `"\u00e9"`: true, `"\ud83d\ude00"`: true, `"\ud800"`: false, `"a\udc00b"`: false, `"\ud800\ud800"`: false, `"\ude00\ud83d"`: false, `"\ud83d\\ude00"`: false, `"\ufffd"`: false, `""`: true,
	} {
		v, err := decode.JSON([]byte(text), decode.NewBudget(0))
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckID(v.(string), "id"); (err == nil) != ok {
			t.Errorf("%s: %v, want ok %v", text, err, ok)
		}
	}
	if CheckID("a\xffb", "id") == nil {
		t.Error("bytes that are not UTF-8 are an id")
	}
}
