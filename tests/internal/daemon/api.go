package daemon

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// API sends requests to a server, as curl would.
type API struct {
	// Base is the URL of the server. Headers are sent with every request.
	Base    string
	Headers map[string]string
}

// Do sends a request with a JSON body, unless body is nil. It returns the status, and the
// value of a JSON response.
func (a API) Do(t testing.TB, method, path string, body any) (status int, value any) {
	t.Helper()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		sent = bytes.NewReader(text)
	}
	return a.send(t, method, path, sent)
}

// Send is Must with a body that is a text, such as XML.
func (a API) Send(t testing.TB, method, path, body string) {
	t.Helper()
	if status, value := a.send(t, method, path, strings.NewReader(body)); status < 200 || status > 299 {
		t.Fatalf("%s %s: %d %v", method, path, status, value)
	}
}

func (a API) send(t testing.TB, method, path string, sent io.Reader) (status int, value any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, a.Base+path, sent)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for name, v := range a.Headers {
		req.Header.Set(name, v)
	}
	client := http.Client{Timeout: 10 * time.Second}
	answer, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	if json.Unmarshal(text, &value) != nil {
		value = string(text)
	}
	return answer.StatusCode, value
}

// Must is Do for a request that must succeed.
func (a API) Must(t testing.TB, method, path string, body any) any {
	t.Helper()
	status, value := a.Do(t, method, path, body)
	if status < 200 || status > 299 {
		t.Fatalf("%s %s: %d %v", method, path, status, value)
	}
	return value
}
