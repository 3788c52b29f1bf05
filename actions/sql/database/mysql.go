package database

import (
	"crypto/sha1" //nolint:gosec // the hash of mysql_native_password
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/go-sql-driver/mysql"

	"github.com/declprov/declprov/actions"
)

// mysqlBackend is MySQL or MariaDB, by github.com/go-sql-driver/mysql.
type mysqlBackend struct{}

func (mysqlBackend) connector(t *target, env *actions.Env) (driver.Connector, error) {
	tls, err := t.tlsConfig()
	if err != nil {
		return nil, err
	}
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd, config.DBName = "tcp", t.title(), t.User, t.Password, t.Database
	config.TLS, config.DialFunc = tls, t.dial(env)
	config.AllowCleartextPasswords = tls != nil
	config.ClientFoundRows = true // an update counts the rows that it finds, changed or not
	config.Logger = &mysql.NopLogger{}
	config.Params = map[string]string{
		// Backslashes and quotes have one meaning, whatever the server's default is.
		"sql_mode":  `REPLACE(REPLACE(@@sql_mode, 'NO_BACKSLASH_ESCAPES', ''), 'ANSI_QUOTES', '')`,
		"time_zone": "'+00:00'",
	}
	return mysql.NewConnector(config)
}

// limit does nothing, because the driver has no limit: the server limits rows, to at most 1 GiB
// (max_allowed_packet).
func (mysqlBackend) limit(*sql.Conn, int64) error { return nil }

func (mysqlBackend) parameter(v any) (any, error) { return plainParameter(v) }

func (mysqlBackend) plain(v any, column string) (any, error) {
	switch v := v.(type) {
	case uint64:
		return json.Number(strconv.FormatUint(v, 10)), nil
	case []byte:
		return mysqlText(v, column), nil
	case string:
		return mysqlText([]byte(v), column), nil
	case float32:
		return json.Number(strconv.FormatFloat(float64(v), 'g', -1, 32)), nil
	default:
		return v, nil
	}
}

func mysqlText(v []byte, column string) any {
	switch column {
	case "DECIMAL", "INT", "BIGINT", "SMALLINT", "TINYINT", "MEDIUMINT", "FLOAT", "DOUBLE", "UNSIGNED INT", "UNSIGNED BIGINT":
		return number(string(v))
	case "JSON":
		return jsonValue(v)
	case "DATETIME":
		return strings.Replace(string(v), " ", "T", 1)
	case "TIMESTAMP":
		return strings.Replace(string(v), " ", "T", 1) + "Z"
	case "BLOB", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB", "BINARY", "VARBINARY", "BIT", "GEOMETRY":
		return v // bytes
	default:
		return string(v)
	}
}

// Numbers of MySQL's errors. After the first four, the effect of the statement is unknown.
// After the others it had none, and a retry may succeed.
const (
	mysqlShutdown    = 1053
	mysqlInterrupted = 1317
	mysqlKilled      = 1927
	mysqlTimeout     = 3024
	mysqlTooMany     = 1040
	mysqlLockWait    = 1205
	mysqlDeadlock    = 1213
)

func (mysqlBackend) serverError(err error) (serverError, bool) {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return serverError{}, false
	}
	class := strconv.Itoa(int(e.Number))
	out := serverError{class: class, text: fmt.Sprintf("%s [%s]", e.Message, class), noEffect: true}
	switch e.Number {
	case mysqlShutdown, mysqlInterrupted, mysqlKilled, mysqlTimeout:
		out.noEffect, out.again = false, true
	case mysqlTooMany, mysqlLockWait, mysqlDeadlock:
		out.again = true
	}
	return out, true
}

// unsent reports whether the statement was not sent. The driver returns ErrBadConn and
// ErrPktTooLarge only in that case, and database/sql prefixes its own errors with "sql: ".
func (mysqlBackend) unsent(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrPktTooLarge) || strings.HasPrefix(innermost(err).Error(), "sql: ")
}

// innermost returns the error that others wrap.
func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// sent returns nil: unsent is enough for this driver.
func (mysqlBackend) sent(*sql.Conn) *atomic.Int64 { return nil }

// hash returns the hash of mysql_native_password.
func (mysqlBackend) hash(password string) (string, error) {
	inner := sha1.Sum([]byte(password))
	outer := sha1.Sum(inner[:])
	return "*" + strings.ToUpper(hex.EncodeToString(outer[:])), nil
}
