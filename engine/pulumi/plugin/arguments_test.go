package plugin

import "testing"

func TestParseArgs(t *testing.T) {
	cases := []struct {
		name string
		args []string
		want string
	}{
		{"attach mode", nil, ""},
		{"address", []string{"127.0.0.1:4711"}, "127.0.0.1:4711"},
		{"all flags", []string{"--logtostderr", "-v=9", "--tracing", "http://t", "127.0.0.1:4711"}, "127.0.0.1:4711"},
		{"flag values", []string{"-v", "9", "--tracing=file:x", "--newer", "127.0.0.1:1"}, "127.0.0.1:1"},
		{"flag without value", []string{"--tracing"}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := ParseArgs(c.args); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
