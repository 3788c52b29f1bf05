package http

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/session"
)

func benchServer(b testing.TB) (*httptest.Server, *testServer) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"pet-7","name":"Rex","tags":{"a":"b"},"age":7}`)
	}))
	b.Cleanup(s.Close)
	ts := &testServer{TB: b, kind: newKind(time.Now), server: s}
	ts.setOrigins(s.URL)
	return s, ts
}

// BenchmarkRequest measures a POST of a small object by the action. `make bench` compares it
// with net/http and encoding/json.
func BenchmarkRequest(b *testing.B) {
	s, ts := benchServer(b)
	pet := args{"name": "Rex", "kind": "dog", "tags": args{"a": "b"}}
	b.Run("action", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			call := ts.call("/pets/${7}", args{"json": pet, "auth": args{"bearer": "token"}})
			for pb.Next() {
				if out := ts.kind.Run(context.Background(), call); out.Status != actions.Done {
					b.Error(out.Err)
				}
			}
		})
	})
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: session.MaxIdlePerHost}}
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := postDirectly(client, s.URL+"/pets/7", pet); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

// postDirectly does the same in the way of a provider written by hand.
func postDirectly(client *http.Client, url string, pet any) error {
	body, err := json.Marshal(pet)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), session.DefaultTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer token")
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	var v map[string]any
	return json.Unmarshal(data, &v)
}

// TestMemory checks that 10,000 requests use no more memory than 1,000.
func TestMemory(t *testing.T) {
	_, ts := benchServer(t)
	heap := func(requests int) uint64 {
		for range requests {
			ts.done(ts.run("/pets/${7}", args{"json": args{"name": "Rex"}}))
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	after1000 := heap(1000)
	if after10000 := heap(9000); after10000 > after1000+5<<20 {
		t.Errorf("%d bytes after 1,000 requests, %d after 10,000", after1000, after10000)
	}
}
