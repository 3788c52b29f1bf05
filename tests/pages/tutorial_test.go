package pages

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// TestTutorial runs docs/tutorial.md. Its server has another port here, is ready before the
// next command, and is stopped even if a command fails.
func TestTutorial(t *testing.T) {
	t.Parallel()
	tools.Need(t, tools.Curl)
	dir, env := home(t)
	port := freePort(t)
	start := "python3 server.py 2>server.log &\n"
	open(t, "tutorial.md").run(t, dir, env,
		start, strings.Replace(start, "python3", tools.Need(t, tools.Python), 1)+
			"trap \"kill $! 2>/dev/null || true\" EXIT\n"+
			"until curl -s localhost:"+port+"/rooms >/dev/null; do sleep 0.1; done\n",
		"8000", port)
	for _, left := range []string{".pulumi/plugins/resource-rooms-v0.1.0", ".pulumi/stacks/office/dev.json"} {
		if _, err := os.Stat(filepath.Join(dir, left)); err == nil {
			t.Errorf("%s is left", left)
		}
	}
}

// freePort returns a port that nothing uses.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}
