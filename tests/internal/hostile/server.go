// Package hostile is a server that breaks a chosen request at a chosen moment, as real
// servers do not do on demand. It records its objects and requests, by which tests judge the
// outcome.
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

// Object is an object on the server: the members that were sent, an id and a serial number.
type Object map[string]any

// Request is a complete request that the server received.
type Request struct {
	Method, URI string
	Header      http.Header
	Body        string
	// Committed says that it changed an object.
	Committed bool
	// Name is the name of the object that it is about, or "".
	Name string
}

// Server keeps objects below /things. POST creates one (once per Idempotency-Key). GET, PATCH
// and DELETE use one by its id. GET /things/named/NAME finds one by name, and GET /things
// lists all. A request with the header X-Challenge is challenged by the Digest scheme.
type Server struct {
	URL string
	// CA is the certificate of a TLS server, as PEM.
	CA string
	// Delay returns how long the server waits before a request takes effect, and again before
	// it responds. It must be set before the first request.
	Delay func() time.Duration
	// Extra are additional members of every created object. It must be set before the first
	// request.
	Extra Object
	// Token is the token that POST to /token, /login and /session returns.
	Token string

	server *httptest.Server

	mu       sync.Mutex
	next     int
	objects  map[string]Object
	names    map[string]string // names of all objects that ever existed, by id
	keys     map[string]string
	requests []Request
	strikes  map[string][]Fault
	dropped  int // number of handshakes that will fail
}

// Start starts a server, which stops when the test ends.
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

// Arm arms a fault for the next requests of a method below /things, or, with "POST /token",
// for that path.
func (s *Server) Arm(method string, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range max(f.Times, 1) {
		s.strikes[method] = append(s.strikes[method], f)
	}
}

// Disarm removes the faults that have not happened, and returns their number.
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

// Objects returns the objects by id.
func (s *Server) Objects() map[string]Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]Object{}
	for id, o := range s.objects {
		out[id] = maps.Clone(o)
	}
	return out
}

// Requests returns all requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Count returns the number of requests of a method.
func (s *Server) Count(method string) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Method == method {
			n++
		}
	}
	return n
}

// ServeHTTP responds normally, or with a fault.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the request was incomplete
	}
	s.wait()
	s.mu.Lock()
	request := Request{Method: r.Method, URI: r.RequestURI, Header: r.Header.Clone(), Body: string(body), Name: s.nameOf(r, body)}
	fault := s.takeFault(r.URL.Path, request)
	var status int
	var answer any = Object{"message": "it did nothing"}
	switch {
	case r.Header.Get("X-Challenge") != "" && !strings.HasPrefix(r.Header.Get("Authorization"), "Digest "):
		w.Header().Set("WWW-Authenticate", `Digest realm="things", nonce="n", algorithm=SHA-256, qop="auth"`)
		status = http.StatusUnauthorized
	case fault.Strike == nil || !fault.Before:
		status, answer, request.Committed = s.handle(r, body)
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

// handle handles a request without a fault.
func (s *Server) handle(r *http.Request, body []byte) (int, any, bool) {
	rest := strings.TrimPrefix(r.URL.Path, "/things")
	id := strings.TrimPrefix(rest, "/")
	switch {
	case slices.Contains([]string{"/token", "/login", "/session"}, r.URL.Path):
		return http.StatusOK, Object{"access_token": s.Token, "token": s.Token, "token_type": "Bearer", "expires_in": 3600}, false
	case r.Method == "POST":
		return s.make(r.Header.Get("Idempotency-Key"), body)
	}
	if r.Method == "GET" && rest == "" {
		return http.StatusOK, Object{"items": slices.AppendSeq([]Object{}, maps.Values(s.objects))}, false
	}
	if name, ok := strings.CutPrefix(rest, "/named/"); ok {
		id = s.findByName(name)
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

func (s *Server) findByName(name string) string {
	for id, o := range s.objects {
		if o["name"] == name {
			return id
		}
	}
	return ""
}

// reset makes the client see a connection reset.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
