package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	code "modernc.org/sqlite/lib"

	"github.com/declprov/declprov/actions"
)

// sqliteBackend is SQLite, by modernc.org/sqlite.
type sqliteBackend struct{}

// connector returns what opens the file. A reader does not make it.
func (sqliteBackend) connector(t *target, _ *actions.Env) (driver.Connector, error) {
	mode := "rwc"
	if t.ReadOnly {
		mode = "ro"
	}
	path := filepath.ToSlash(t.File)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	options := url.Values{
		"mode": {mode}, "_busy_timeout": {"5000"}, "_foreign_keys": {"on"}, "_dqs": {"0"}, "_defensive": {"1"}, "_txlock": {"immediate"},
	}
	address := url.URL{Scheme: "file", Path: path, RawQuery: options.Encode()}
	inner, err := sqlite.NewConnector(address.String())
	if err != nil {
		return nil, err
	}
	return confined{inner}, nil
}

// confined is a connector whose connections open no other files.
type confined struct{ driver.Connector }

func (c confined) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	guarded, ok := conn.(sqlite.AuthorizerRegisterer)
	if !ok {
		err = errors.New("the driver has no authorizer")
	} else {
		err = guarded.RegisterAuthorizer(authorize)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// authorize refuses what opens other files. SQLite does not tell the file of an `attach`
// whose name is an expression, so that is refused altogether.
func authorize(action sqlite.AuthorizerActionCode, argument, second, _, _ string) sqlite.AuthorizerReturnCode {
	outside := []string{"temp_store_directory", "data_store_directory"}
	switch {
	case action == sqlite.AuthAttach, action == sqlite.AuthDetach,
		action == sqlite.AuthPragma && slices.Contains(outside, strings.ToLower(argument)),
		action == sqlite.AuthFunction && strings.EqualFold(second, "load_extension"):
		return sqlite.AuthorizerDeny
	default:
		return sqlite.AuthorizerOK
	}
}

func (sqliteBackend) parameter(v any) (any, error) {
	if b, ok := v.(bool); ok {
		if b {
			return int64(1), nil
		}
		return int64(0), nil
	}
	return plainParameter(v)
}

func (sqliteBackend) plain(v any, column string) (any, error) {
	switch v := v.(type) {
	case time.Time:
		if strings.EqualFold(column, "DATE") {
			return v.Format(time.DateOnly), nil
		}
		return v.UTC().Format(time.RFC3339Nano), nil
	default:
		return v, nil
	}
}

func (sqliteBackend) serverError(err error) (serverError, bool) {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return serverError{}, false
	}
	class := strconv.Itoa(e.Code())
	out := serverError{class: class, text: fmt.Sprintf("%s [%s]", strings.TrimSuffix(e.Error(), fmt.Sprintf(" (%d)", e.Code())), class), noEffect: true}
	switch e.Code() & 0xff {
	case code.SQLITE_BUSY, code.SQLITE_LOCKED:
		out.again = true
	case code.SQLITE_INTERRUPT:
		out.canceled = true
	case code.SQLITE_TOOBIG:
		out.text += ": a value is larger than maxBytes allows; ask for less, or raise it"
	case code.SQLITE_IOERR:
		out.noEffect = false
	case code.SQLITE_AUTH:
		out.text += ": a database must not open other files (attach, vacuum), which the permissions do not name"
	}
	return out, true
}

func (sqliteBackend) unsent(error) bool { return false }

func (sqliteBackend) sent(*sql.Conn) *atomic.Int64 { return nil }

func (sqliteBackend) limit(conn *sql.Conn, bytes int64) error {
	_, err := sqlite.Limit(conn, code.SQLITE_LIMIT_LENGTH, int(bytes))
	return err
}

func (sqliteBackend) hash(string) (string, error) {
	return "", errors.New("SQLite has no users: pass the password in `params`")
}
