// Package auth tests each way of being let in, against a server that keeps the
// doors, by a spec alone: testdata/doors.cue.
package auth

import (
	"crypto"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

const password = "open/se&sa+me="

// house is the server. It is safe for concurrent use.
type house struct {
	URL string

	mu      sync.Mutex
	next    int
	guests  map[string]map[string]string // by door and id: "/basic/guests/1"
	tickets map[string]bool              // what opens the doors of oauth and login, as long as it is true
	// lasts is how long a token of OAuth says that it lasts, in seconds.
	lasts   int
	refresh string
	// asked are the requests for tokens: "client_credentials", "refresh_token", "session".
	asked []string
	// refused are the requests that nobody let in.
	refused int
	// ahead is how far the clock of the house is ahead of that of the machine.
	ahead time.Duration
	// printed is the token that the credential helper must print.
	printed string
	// nonces are those that challenges contained, and how often each was used.
	nonces map[string]int
	// requires is how clients authenticate themselves: "" by a secret, "certificate" or "assertion".
	requires string
	// key verifies assertions, and used are their ids.
	key  crypto.PublicKey
	used map[string]bool
	// bound are the certificates that tickets are bound to (RFC 8705, 3).
	bound map[string][32]byte
}

func open(t *testing.T) *house {
	t.Helper()
	h := &house{guests: map[string]map[string]string{}, tickets: map[string]bool{}, lasts: 3600, nonces: map[string]int{}, used: map[string]bool{}, bound: map[string][32]byte{}}
	s := httptest.NewServer(h.routes(h.admits))
	t.Cleanup(s.Close)
	h.URL = s.URL
	return h
}

// routes are the house's; admits says who may in.
func (h *house) routes(admits func(door string, r *http.Request) bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", h.token)
	mux.HandleFunc("POST /sessions", h.session)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		door, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		w.Header().Set("Date", h.clock().Format(http.TimeFormat))
		if !admits(door, r) {
			h.refused++
			if door == "digest" {
				h.challenge(w)
			}
			say(w, http.StatusUnauthorized, map[string]string{"message": "who are you?"})
			return
		}
		h.guest(w, r, door)
	})
	return mux
}

func (h *house) guest(w http.ResponseWriter, r *http.Request, door string) {
	path := r.URL.Path
	if r.Method == http.MethodPost {
		h.next++
		path += fmt.Sprintf("/%d", h.next)
		h.guests[path] = map[string]string{"id": fmt.Sprint(h.next), "door": door}
	}
	g := h.guests[path]
	if g == nil {
		say(w, http.StatusNotFound, map[string]string{"message": "nobody"})
		return
	}
	switch r.Method {
	case http.MethodDelete:
		delete(h.guests, path)
		w.WriteHeader(http.StatusNoContent)
		return
	case http.MethodPost, http.MethodPut:
		var in struct{ Name string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			say(w, http.StatusBadRequest, map[string]string{"message": err.Error()})
			return
		}
		g["name"] = in.Name
	}
	say(w, http.StatusOK, g)
}

// admits knows the doors.
func (h *house) admits(door string, r *http.Request) bool {
	switch door {
	case "basic":
		user, pass, ok := r.BasicAuth()
		return ok && user == "ada" && pass == password
	case "bearer":
		return r.Header.Get("Authorization") == "Bearer "+password
	case "header":
		return r.Header.Get("X-Api-Key") == password
	case "query":
		return r.URL.Query().Get("api_key") == password
	case "cookie":
		c, err := r.Cookie("session")
		return err == nil && c.Value == password
	case "digest":
		return h.answers(r)
	case "both":
		return r.Header.Get("Authorization") == "Bearer "+password && r.Header.Get("X-Api-Key") == password
	case "signed":
		return h.signed(r)
	case "oauth":
		return h.tickets[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	case "helper":
		return r.Header.Get("Authorization") == "Bearer "+h.printed
	case "bound":
		ticket := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		return h.tickets[ticket] && h.bound[ticket] == fingerprint(r)
	case "login":
		return h.tickets[strings.TrimPrefix(r.Header.Get("X-Ticket"), "ticket ")]
	default:
		return false
	}
}

// token is an endpoint of OAuth 2 (RFC 6749, 4.4 and 6).
func (h *house) token(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	grant := r.PostFormValue("grant_type")
	h.asked = append(h.asked, strings.TrimSpace(grant+" "+r.PostFormValue("scope")))
	if !h.knows(r) || grant == "refresh_token" && r.PostFormValue("refresh_token") != h.refresh {
		say(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	}
	h.refresh = h.ticket("refresh")
	access := h.ticket("access")
	h.bound[access] = fingerprint(r)
	say(w, http.StatusOK, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": h.lasts, "refresh_token": h.refresh,
	})
}

func (h *house) session(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, "session")
	var in struct{ User, Password string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.User != "ada" || in.Password != password {
		say(w, http.StatusForbidden, map[string]string{"message": "wrong password"})
		return
	}
	say(w, http.StatusOK, map[string]string{"ticket": h.ticket("session")})
}

func (h *house) ticket(kind string) string {
	h.next++
	t := fmt.Sprintf("%s-%d-%d", kind, h.next, time.Now().UnixNano())
	h.tickets[t] = kind != "refresh"
	return t
}

// revoke makes all tickets worthless.
func (h *house) revoke() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.tickets)
}

// record is what was asked for since the last time, and how often nobody was let
// in.
func (h *house) record() (asked []string, refused int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	asked, refused = h.asked, h.refused
	h.asked, h.refused = nil, 0
	return asked, refused
}

func say(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The other side may have gone; there is nobody to tell.
	_ = json.NewEncoder(w).Encode(body)
}
