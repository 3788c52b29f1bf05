package database

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"database/sql"
	"database/sql/driver"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/xdg-go/stringprep"

	"github.com/declprov/declprov/actions"
)

// postgres is PostgreSQL, by github.com/jackc/pgx.
type postgres struct{}

// cancelLimit is how long the server may take to confirm that it canceled a statement.
const cancelLimit = 3 * time.Second

// longestGreeting is the size in bytes of the longest message that a server may send before a
// statement. pgx allocates a message before it reads it.
const longestGreeting = 1 << 20

func (p postgres) connector(t *target, env *actions.Env) (driver.Connector, error) {
	config, err := p.config(t, env)
	if err != nil {
		return nil, err
	}
	return stdlib.GetConnector(*config), nil
}

// config returns the configuration of a connection. pgx makes one only from the environment,
// so everything that the environment may set is set again.
func (postgres) config(t *target, env *actions.Env) (*pgx.ConnConfig, error) {
	secure, err := t.tlsConfig()
	if err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig("host=localhost port=1 user=- password=- dbname=- sslmode=disable sslcert='' sslkey='' sslrootcert='' target_session_attrs=any connect_timeout=0")
	if err != nil {
		return nil, errors.New("a variable of the environment prevents connections (PGSERVICE, PGCHANNELBINDING or another one of libpq): unset it")
	}
	config.Host, config.Port, config.User, config.Password, config.Database = t.Host, uint16(t.Port), t.User, t.Password, t.Database
	if t.Socket != "" {
		config.Host = t.Socket
	}
	if config.Database == "" {
		config.Database = t.User
	}
	config.TLSConfig, config.Fallbacks, config.SSLNegotiation = secure, nil, ""
	config.RuntimeParams = map[string]string{
		"application_name": "declprov", "client_encoding": "UTF8", "standard_conforming_strings": "on", "DateStyle": "ISO",
	}
	dial := t.dial(env)
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return counted{conn, &atomic.Int64{}}, nil
	}
	config.BuildFrontend = func(in io.Reader, out io.Writer) *pgproto3.Frontend {
		f := pgproto3.NewFrontend(in, out)
		f.SetMaxBodyLen(longestGreeting)
		return f
	}
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: cancelLimit}
	}
	// Without a cache of statements, a change of a table affects no later statement.
	config.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, 0
	return config, nil
}

// parameter returns scalars as text, which the server reads as the type that it expects.
func (postgres) parameter(v any) (any, error) {
	switch v := v.(type) {
	case []any:
		return newPostgresList(v)
	case string, nil:
		return v, nil
	case map[string]any:
		return jsonText(v)
	}
	return actions.TextOf(v)
}

// postgresList is a list as a parameter. pgx sends it as an array if the server expects one, and
// otherwise as JSON.
type postgresList []any

// Dimensions, Index and IndexType make it a pgtype.ArrayGetter. The elements are text, as single
// parameters are.
func (l postgresList) Dimensions() []pgtype.ArrayDimension {
	return []pgtype.ArrayDimension{{Length: int32(len(l)), LowerBound: 1}}
}

func (l postgresList) Index(i int) any {
	switch v := l[i].(type) {
	case nil:
		return nil
	case []any, map[string]any:
		text, _ := jsonText(v) // newPostgresList has tried
		return text
	default:
		text, _ := actions.TextOf(v)
		return text
	}
}

func (postgresList) IndexType() any { return "" }

// Value makes it a driver.Valuer.
func (l postgresList) Value() (driver.Value, error) { return jsonText([]any(l)) }

// newPostgresList returns a list as a parameter, if it can be sent.
func newPostgresList(list []any) (any, error) {
	_, err := jsonText(list)
	return postgresList(list), err
}

func (postgres) serverError(err error) (serverError, bool) {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return serverError{}, false
	}
	text := e.Message
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	if e.Hint != "" {
		text += ". " + strings.TrimSuffix(e.Hint, ".")
	}
	out := serverError{class: e.Code, text: fmt.Sprintf("%s [%s]", text, e.Code), noEffect: true, canceled: e.Code == "57014"}
	switch {
	case strings.HasPrefix(e.Code, "57P"), strings.HasPrefix(e.Code, "08"), e.Code == "40003":
		out.noEffect, out.again = false, true // the server shuts down, or does not know itself
	case e.Code == "40001", e.Code == "40P01", e.Code == "55P03", strings.HasPrefix(e.Code, "53"):
		out.again = true // serialization failure, deadlock, lock, too many connections
	}
	return out, true
}

func (postgres) unsent(err error) bool {
	return pgconn.SafeToRetry(err) || errors.Is(err, driver.ErrBadConn)
}

// sent returns the count of bytes of a connection. pgx reports a connection that is lost after
// a simple query was sent like one that was closed before.
func (postgres) sent(conn *sql.Conn) *atomic.Int64 {
	var count *atomic.Int64
	_ = conn.Raw(func(driverConn any) error {
		if c, ok := driverConn.(*stdlib.Conn); ok {
			inner := c.Conn().PgConn().Conn()
			if secure, ok := inner.(*tls.Conn); ok {
				inner = secure.NetConn()
			}
			if own, ok := inner.(counted); ok {
				count = own.sent
			}
		}
		return nil
	})
	return count
}

func (postgres) limit(conn *sql.Conn, bytes int64) error {
	return conn.Raw(func(driverConn any) error {
		if c, ok := driverConn.(*stdlib.Conn); ok {
			c.Conn().PgConn().Frontend().SetMaxBodyLen(int(bytes))
		}
		return nil
	})
}

// scramIterations is PostgreSQL's own number of iterations.
const scramIterations = 4096

// hash returns the SCRAM-SHA-256 verifier of a password, which the server stores as it is
// (PostgreSQL's documentation, "CREATE ROLE"; RFC 5803).
func (postgres) hash(password string) (string, error) {
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	return scramVerifier(password, salt)
}

func scramVerifier(password string, salt []byte) (string, error) {
	// Like libpq, a password that SASLprep does not allow is used as it is.
	if prepared, err := stringprep.SASLprep.Prepare(password); err == nil {
		password = prepared
	}
	salted, err := pbkdf2.Key(sha256.New, password, salt, scramIterations, sha256.Size)
	if err != nil {
		return "", err
	}
	stored := sha256.Sum256(hmacOf(salted, "Client Key"))
	code := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", scramIterations, code(salt), code(stored[:]), code(hmacOf(salted, "Server Key"))), nil
}

func hmacOf(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
