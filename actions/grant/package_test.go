package grant

import "testing"

func TestPackages(t *testing.T) {
	for pattern, want := range map[string][2]string{
		"random": {"random", ""}, "random@4.16.3": {"random", "4.16.3"}, "random@v4.16.3": {"random", "4.16.3"},
	} {
		if name, version := SplitPackage(pattern); name != want[0] || version != want[1] {
			t.Errorf("%s: %q, %q", pattern, name, version)
		}
	}
	for _, tc := range []struct {
		pattern, other string
		want           bool
	}{
		{"random", "random", true},
		{"random", "random@4.16.3", true},
		{"random@4.16.3", "random@4.16.3", true},
		{"random@4.16.3", "random", false},
		{"random@4.16.3", "random@4.16.4", false},
		{"random", "tls@1.0.0", false},
	} {
		if got := PackageIncludes(tc.pattern, tc.other); got != tc.want {
			t.Errorf("%s includes %s: %t", tc.pattern, tc.other, got)
		}
	}
}

func TestPluginOrigin(t *testing.T) {
	for url, want := range map[string]string{
		"https://get.example.com/plugins": "https://get.example.com:443", "github://api.github.com/owner": "https://api.github.com:443",
		"ftp://get.example.com": "", "get.example.com": "", "": "",
	} {
		got := PluginOrigin(url)
		o, err := ParseOrigin(want)
		if want == "" && got != "" || want != "" && (err != nil || got != o.String()) {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}
