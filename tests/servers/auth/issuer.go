package auth

import (
	"crypto"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The names that the issuer knows.
const (
	appID          = "4711"
	serviceAccount = "robot@project.iam.example.com"
	keyID          = "key-1"
	scope          = "https://www.googleapis.com/auth/cloud-platform"
)

// issuer issues tokens for assertions, as GitHub does to Apps and Google to service accounts, and
// has the parts of their APIs that docs/apis shows. It is safe for concurrent use.
type issuer struct {
	URL string
	// key verifies assertions.
	key crypto.PublicKey
	// lasts is how long a token is valid.
	lasts time.Duration
	// slow is how long the server takes for a fork or an instance of the name "slow".
	slow time.Duration
	// page is how long it takes for a page of a list.
	page time.Duration
	// ahead is how far the clock of the server is ahead of that of the machine: a duration.
	ahead atomic.Int64

	mu      sync.Mutex
	issued  int                  // counts tokens
	expires map[string]time.Time // of tokens
	used    map[string]bool      // tokens that came with a request
	again   map[string]bool      // requests that came with a token that is not valid, until they come again
	objects map[string]object    // by path
	// assertions are what came of each assertion: "accepted", or the reason why not.
	assertions []string
	// requests counts those with a valid token, and unauthorized the others.
	requests, unauthorized int
	// created counts the objects that were created, by path.
	created map[string]int
}

// object is an object of an API. Nobody sees it before it is ready.
type object struct {
	members map[string]any
	ready   time.Time
}

func openIssuer(t *testing.T, key crypto.PublicKey) *issuer {
	t.Helper()
	i := &issuer{key: key, lasts: time.Hour, expires: map[string]time.Time{}, used: map[string]bool{}, again: map[string]bool{}, objects: map[string]object{}, created: map[string]int{}}
	s := httptest.NewServer(i.routes())
	t.Cleanup(s.Close)
	i.URL = s.URL
	return i
}

func (i *issuer) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /app/installations/{id}/access_tokens", i.installationToken)
	mux.HandleFunc("POST /token", i.accountToken)
	for pattern, handle := range i.forge() {
		mux.HandleFunc(pattern, i.authorized(handle))
	}
	for pattern, handle := range i.cloud() {
		mux.HandleFunc(pattern, i.authorized(handle))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", i.clock().Format(http.TimeFormat))
		mux.ServeHTTP(w, r)
	})
}

func (i *issuer) clock() time.Time { return time.Now().Add(time.Duration(i.ahead.Load())).UTC() }

// installationToken verifies the JWT of a GitHub App. It may expire in at most ten minutes, and
// must not come from the future.
func (i *issuer) installationToken(w http.ResponseWriter, r *http.Request) {
	text, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	claims, err := i.verify(text, "RS256", jwt.WithIssuer(appID))
	if err == nil && claims.ExpiresAt.After(i.clock().Add(10*time.Minute)) {
		err = fmt.Errorf("'Expiration time' claim ('exp') is too far in the future")
	}
	if !i.noted(err) {
		say(w, http.StatusUnauthorized, map[string]any{"message": err.Error()})
		return
	}
	token, end := i.issue("ghs_")
	say(w, http.StatusCreated, map[string]any{"token": token, "expires_at": end.Format(time.RFC3339)})
}

// accountToken verifies the assertion of a service account (RFC 7523, 3), which may last an hour.
func (i *issuer) accountToken(w http.ResponseWriter, r *http.Request) {
	var err error
	if grant := r.PostFormValue("grant_type"); grant != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		err = fmt.Errorf("unsupported grant_type %q", grant)
	}
	claims := &jwtClaims{}
	if err == nil {
		claims, err = i.verify(r.PostFormValue("assertion"), "RS256", jwt.WithIssuer(serviceAccount), jwt.WithAudience(i.URL+"/token"))
	}
	if err == nil && (claims.Scope != scope || claims.ExpiresAt.Sub(claims.IssuedAt.Time) > time.Hour) {
		err = fmt.Errorf("invalid scope %q, or a lifetime of more than an hour", claims.Scope)
	}
	if !i.noted(err) {
		say(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant", "error_description": err.Error()})
		return
	}
	token, _ := i.issue("ya29.")
	say(w, http.StatusOK, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": i.lasts.Seconds()})
}

// jwtClaims are the claims of an assertion.
type jwtClaims struct {
	jwt.RegisteredClaims
	Scope string `json:"scope"`
}

// verify verifies a signature and the times of a JWT, by the clock of the server and without any
// tolerance.
func (i *issuer) verify(text, algorithm string, also ...jwt.ParserOption) (*jwtClaims, error) {
	options := append(also, jwt.WithValidMethods([]string{algorithm}), jwt.WithTimeFunc(i.clock), jwt.WithIssuedAt(), jwt.WithExpirationRequired())
	claims := &jwtClaims{}
	_, err := jwt.ParseWithClaims(text, claims, func(*jwt.Token) (any, error) { return i.key, nil }, options...)
	if err == nil && claims.IssuedAt == nil {
		err = fmt.Errorf("no iat")
	}
	return claims, err
}

// noted notes what came of an assertion.
func (i *issuer) noted(err error) (accepted bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	what := "accepted"
	if err != nil {
		what = err.Error()
	}
	i.assertions = append(i.assertions, what)
	return err == nil
}

func (i *issuer) issue(prefix string) (token string, end time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.issued++
	token, end = fmt.Sprintf("%s%d", prefix, i.issued), i.clock().Add(i.lasts)
	i.expires[token] = end
	return token, end
}

// authorized lets requests pass that have a valid token.
func (i *issuer) authorized(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "s") { // a collection
			time.Sleep(i.page)
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if i.clock().Before(i.expires[token]) {
			i.requests++
			i.used[token] = true
			delete(i.again, r.Method+r.RequestURI)
			handle(w, r)
			return
		}
		i.unauthorized++
		i.again[r.Method+r.RequestURI] = true
		say(w, http.StatusUnauthorized, map[string]any{"message": "Bad credentials", "error": map[string]any{"message": "Bad credentials"}})
	}
}

// fresh reports whether a token that came with a request is valid for more than half of its time: a provider
// uses it again.
func (i *issuer) fresh() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	for token := range i.used {
		if i.expires[token].Sub(i.clock()) > i.lasts/2 {
			return true
		}
	}
	return false
}

// revoke makes the tokens invalid that came with a request, as soon as none has to come again, or
// after ten seconds: a provider does not replace a token that was fetched for the same request.
func (i *issuer) revoke() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for end := time.Now().Add(10 * time.Second); len(i.again) > 0 && time.Now().Before(end); {
		i.mu.Unlock()
		time.Sleep(10 * time.Millisecond)
		i.mu.Lock()
	}
	for token := range i.used {
		delete(i.expires, token)
	}
}

// record returns what came of the assertions since the last time, and how many requests had no
// valid token.
func (i *issuer) record() (assertions []string, unauthorized int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	assertions, unauthorized = i.assertions, i.unauthorized
	i.assertions, i.unauthorized = nil, 0
	return assertions, unauthorized
}

// create creates an object, which is ready when the server has created target, and reports
// whether there was none.
func (i *issuer) create(path string, members map[string]any, target string) bool {
	if _, exists := i.objects[path]; exists {
		return false
	}
	o := object{members, i.clock()}
	if strings.HasSuffix(target, "/slow") {
		o.ready = o.ready.Add(i.slow)
	}
	i.objects[path] = o
	i.created[path]++
	return true
}

// object responds with an object, or 404.
func (i *issuer) object(w http.ResponseWriter, path string) (members map[string]any, found bool) {
	o, found := i.objects[path]
	if !found || i.clock().Before(o.ready) {
		say(w, http.StatusNotFound, map[string]any{"message": "Not Found", "error": map[string]any{"message": "not found"}})
		return nil, false
	}
	return o.members, true
}

// below returns the objects of a collection, in the order of their paths.
func (i *issuer) below(collection string) (all []map[string]any) {
	var paths []string
	for path := range i.objects {
		if rest, ok := strings.CutPrefix(path, collection+"/"); ok && !strings.Contains(rest, "/") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		all = append(all, i.objects[path].members)
	}
	return all
}

// sent returns the JSON body of a request.
func sent(r *http.Request) map[string]any {
	var members map[string]any
	_ = json.NewDecoder(r.Body).Decode(&members) // null says what is wrong
	return members
}
