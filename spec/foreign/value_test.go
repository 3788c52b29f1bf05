package foreign

import "testing"

func TestDuration(t *testing.T) {
	for given, want := range map[string]string{
		"5 min": "5m", "90": "90s", "30 seconds": "30s", "PT5M": "5m", "2 days": "48h", "1hour": "1h", "500ms": "500ms",
		"soon": "", "5 apples": "", "": "", "1h30m": "", "99999999999999999999 s": "",
	} {
		if got, ok := Duration(given); got != want || ok != (want != "") {
			t.Errorf("Duration(%q) is %q, want %q", given, got, want)
		}
	}
}
