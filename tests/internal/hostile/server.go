// Package hostile is a server that does what real ones will not do on demand:
// it breaks at a chosen moment of a chosen request. It keeps the record that
// tests are judged by: what exists, and what was asked.
package hostile

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Object is a thing that the server keeps: what it was sent, an id and a serial
// number.
type Object map[string]any

// Request is one that reached the server, whole.
type Request struct {
	Method, URI string
	Header      http.Header
	Body        string
	// Committed says that it changed what exists.
	Committed bool
	// Name is the name of the object that it is about; "" is of none.
	Name string
}

// Server keeps objects below /things. POST makes one (once per Idempotency-Key),
// GET, PATCH and DELETE are about one by its id, GET /things/named/NAME looks
// for one by its name, GET /things lists all.
type Server struct {
	URL string
	// CA is the certificate of a server with TLS, as PEM.
	CA string
	// Delay is how long the server takes before it does what a request asks, and
	// again before it answers; it is set before the first.
	Delay func() time.Duration
	// Extra is in every object that is made; it is set before the first.
	Extra Object
	// Token is what POST /token and POST /login give.
	Token string

	server *httptest.Server

	mu       sync.Mutex
	next     int
	objects  map[string]Object
	names    map[string]string // of all objects that ever were, by id
	keys     map[string]string
	requests []Request
	strikes  map[string][]Fault
	dropped  int // handshakes that are still to fail
}

// Start starts a server, which ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := newServer()
	s.server = httptest.NewServer(s)
	s.URL = s.server.URL
	t.Cleanup(s.close)
	return s
}

func newServer() *Server {
	return &Server{objects: map[string]Object{}, names: map[string]string{}, keys: map[string]string{}, strikes: map[string][]Fault{}}
}

func (s *Server) close() {
	s.server.CloseClientConnections()
	s.server.Close()
}

// Arm makes the next requests of a method meet a fault, as often as it says: those
// below /things, or, with "POST /token", those of that path.
func (s *Server) Arm(method string, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range max(f.Times, 1) {
		s.strikes[method] = append(s.strikes[method], f)
	}
}

// Disarm takes back the faults that struck nobody, and says how many.
func (s *Server) Disarm() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.dropped
	for _, f := range s.strikes {
		left += len(f)
	}
	s.strikes, s.dropped = map[string][]Fault{}, 0
	return left
}

// Objects are what exists, by id.
func (s *Server) Objects() map[string]Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]Object{}
	for id, o := range s.objects {
		out[id] = maps.Clone(o)
	}
	return out
}

// Requests are those so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Count is how many requests of a method there were.
func (s *Server) Count(method string) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Method == method {
			n++
		}
	}
	return n
}

// ServeHTTP answers, or strikes.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it was never whole
	}
	s.wait()
	s.mu.Lock()
	request := Request{Method: r.Method, URI: r.RequestURI, Header: r.Header.Clone(), Body: string(body), Name: s.about(r, body)}
	fault := s.strike(r.URL.Path, request)
	var status int
	var answer any = Object{"message": "it did nothing"}
	if fault.Strike == nil || !fault.Before {
		status, answer, request.Committed = s.do(r, body)
	}
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	s.wait()
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	if fault.Strike == nil {
		reply(w, status, text)
		return
	}
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	fault.Strike(&Strike{Conn: conn, Status: status, Body: string(text), Request: request})
}

func (s *Server) wait() {
	if s.Delay != nil {
		time.Sleep(s.Delay())
	}
}

func reply(w http.ResponseWriter, status int, text []byte) {
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// do is what an honest server does.
func (s *Server) do(r *http.Request, body []byte) (int, any, bool) {
	rest := strings.TrimPrefix(r.URL.Path, "/things")
	id := strings.TrimPrefix(rest, "/")
	switch {
	case r.URL.Path == "/token" || r.URL.Path == "/login":
		return http.StatusOK, Object{"access_token": s.Token, "token": s.Token, "token_type": "Bearer", "expires_in": 3600}, false
	case r.Method == "POST":
		return s.make(r.Header.Get("Idempotency-Key"), body)
	}
	if r.Method == "GET" && rest == "" {
		return http.StatusOK, Object{"items": slices.AppendSeq([]Object{}, maps.Values(s.objects))}, false
	}
	if name, ok := strings.CutPrefix(rest, "/named/"); ok {
		id = s.named(name)
	}
	o := s.objects[id]
	if o == nil {
		return http.StatusNotFound, Object{"message": "there is no such thing"}, false
	}
	switch r.Method {
	case "GET":
		return http.StatusOK, o, false
	case "PATCH":
		changes := Object{}
		if err := json.Unmarshal(body, &changes); err != nil {
			return http.StatusBadRequest, Object{"message": err.Error()}, false
		}
		maps.Copy(o, changes)
		return http.StatusOK, o, true
	case "DELETE":
		delete(s.objects, id)
		return http.StatusNoContent, nil, true
	default:
		return http.StatusMethodNotAllowed, Object{"message": r.Method}, false
	}
}

func (s *Server) make(key string, body []byte) (int, any, bool) {
	if id, ok := s.keys[key]; ok && key != "" {
		return http.StatusCreated, s.objects[id], false
	}
	o := Object{}
	if err := json.Unmarshal(body, &o); err != nil {
		return http.StatusBadRequest, Object{"message": err.Error()}, false
	}
	maps.Copy(o, s.Extra)
	s.next++
	id := fmt.Sprintf("t%d", s.next)
	o["id"], o["serial"] = id, fmt.Sprintf("s-%d", s.next)
	s.objects[id], s.names[id] = o, fmt.Sprint(o["name"])
	if key != "" {
		s.keys[key] = id
	}
	return http.StatusCreated, maps.Clone(o), true
}

func (s *Server) named(name string) string {
	for id, o := range s.objects {
		if o["name"] == name {
			return id
		}
	}
	return ""
}

// reset makes the other side see a connection reset.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
