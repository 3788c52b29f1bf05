// Package radicale tests testdata/radicale.cue against a real calendar server.
package radicale

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

const user, password = "ada", "open sesame please"

// server is a Radicale that takes anybody for who they say they are.
type server struct{ base string }

func start(t *testing.T) *server {
	t.Helper()
	program := tools.Need(t, tools.Radicale)
	dir, port := t.TempDir(), daemon.FreePort(t)
	daemon.Start(t, dir, port, program, "--config", "", "--server-hosts", daemon.Loopback(port),
		"--storage-filesystem-folder", dir+"/data", "--auth-type", "none", "--logging-level", "warning")
	return &server{"http://" + daemon.Loopback(port)}
}

func environment(endpoint string) []string {
	return []string{"RADICALE_URL=" + endpoint, "RADICALE_USER=" + user, "RADICALE_PASSWORD=" + password}
}

// do sends a request about something of the user's, which must work, and
// returns the response's body.
func (s *server) do(t testing.TB, method, path, body string) string {
	t.Helper()
	status, text := s.send(t, method, path, body)
	if status > 299 {
		t.Fatalf("%s %s: %d\n%s", method, path, status, text)
	}
	return text
}

// now is what the server says of something that another life, which goes on beside
// this one, may have removed since it was listed: "" if it has.
func (s *server) now(t testing.TB, method, path, body string) string {
	t.Helper()
	status, text := s.send(t, method, path, body)
	if status == http.StatusNotFound {
		return ""
	}
	if status > 299 {
		t.Fatalf("%s %s: %d\n%s", method, path, status, text)
	}
	return text
}

func (s *server) send(t testing.TB, method, path, body string) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.base+"/"+user+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(user, password)
	req.Header.Set("Depth", "1")
	if method == "PUT" {
		req.Header.Set("Content-Type", "text/calendar")
	}
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	all, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return response.StatusCode, string(all)
}

func (s *server) calendar(t testing.TB, slug, title, color string) {
	t.Helper()
	s.do(t, "MKCALENDAR", "/"+slug+"/", "")
	s.paint(t, slug, title, color)
}

func (s *server) paint(t testing.TB, slug, title, color string) {
	t.Helper()
	s.do(t, "PROPPATCH", "/"+slug+"/", fmt.Sprintf(`<propertyupdate xmlns="DAV:" xmlns:I="http://apple.com/ns/ical/"><set><prop>
		<displayname>%s</displayname><I:calendar-color>%s</I:calendar-color></prop></set></propertyupdate>`, title, color))
}

func (s *server) event(t testing.TB, path, uid, summary string) {
	t.Helper()
	s.do(t, "PUT", path, strings.ReplaceAll("BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//a//b//EN\nBEGIN:VEVENT\nUID:"+uid+
		"\nDTSTAMP:20300101T090000Z\nDTSTART:20300101T090000Z\nDTEND:20300101T100000Z\nSUMMARY:"+summary+"\nEND:VEVENT\nEND:VCALENDAR\n", "\n", "\r\n"))
}

// things are all calendars and events: `calendar a: Title #ff0000`,
// `event a/b.ics UID: Summary`.
func (s *server) things(t testing.TB) []string {
	t.Helper()
	var out []string
	const ask = `<propfind xmlns="DAV:" xmlns:I="http://apple.com/ns/ical/"><prop><displayname/><I:calendar-color/></prop></propfind>`
	for _, calendar := range regexp.MustCompile(`<href>/`+user+`/([^/<]+)/</href>.*?</response>`).FindAllStringSubmatch(s.do(t, "PROPFIND", "/", ask), -1) {
		slug := calendar[1]
		out = append(out, fmt.Sprintf("calendar %s: %s %s", slug, first(`<displayname>(.*?)<`, calendar[0]), first(`calendar-color>(.*?)<`, calendar[0])))
		for _, event := range regexp.MustCompile(`<href>/`+user+`/([^/<]+/[^/<]+)</href>`).FindAllStringSubmatch(s.now(t, "PROPFIND", "/"+slug+"/", ask), -1) {
			text := s.now(t, "GET", "/"+event[1], "")
			if text == "" {
				continue
			}
			out = append(out, fmt.Sprintf("event %s %s: %s", event[1], first(`(?m)^UID:(.*?)\r?$`, text), first(`(?m)^SUMMARY:(.*?)\r?$`, text)))
		}
	}
	return out
}

func first(pattern, text string) string {
	if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}
