"""libcurl's errors as failures of ours."""

import errno

import pycurl

from tiptoe.fetch.faults import FAULTS, failure_of
from tiptoe.fetch.outcome import Failure

# Cannot happen to us (uploads, other protocols, our own mistakes), are answered
# as FTP refusals, or mean a bad answer.
NOT_IN_THE_TABLE = {
    "OK", "FAILED_INIT", "NOT_BUILT_IN", "OUT_OF_MEMORY", "BAD_FUNCTION_ARGUMENT",
    "FUNCTION_NOT_FOUND", "LIBRARY_NOT_FOUND", "BAD_CALLING_ORDER", "BAD_PASSWORD_ENTERED",
    "UNKNOWN_OPTION", "AGAIN", "SHARE_IN_USE", "INTERFACE_FAILED", "NO_CONNECTION_AVAILABLE",
    "ALREADY_COMPLETE", "CALL_MULTI_PERFORM", "READ_ERROR", "WRITE_ERROR", "UPLOAD_FAILED",
    "SEND_FAIL_REWIND", "FILESIZE_EXCEEDED", "FILE_COULDNT_READ_FILE", "HTTP_RETURNED_ERROR",
    "HTTP_NOT_FOUND", "HTTP_POST_ERROR", "HTTP_PORT_FAILED", "HTTP_RANGE_ERROR", "RANGE_ERROR",
    "BAD_DOWNLOAD_RESUME", "TOO_MANY_REDIRECTS", "CHUNK_FAILED", "CONV_FAILED", "CONV_REQD",
    "LOGIN_DENIED", "REMOTE_ACCESS_DENIED", "REMOTE_DISK_FULL", "REMOTE_FILE_EXISTS",
    "REMOTE_FILE_NOT_FOUND", "QUOTE_ERROR", "MALFORMAT_USER", "URL_MALFORMAT_USER", "SSH",
    "UNKNOWN_TELNET_OPTION",
}  # fmt: skip
OTHER_PROTOCOLS = ("FTP_", "LDAP_", "TFTP_", "TELNET_", "RTSP_", "MULTI_", "SSL_ENGINE_")


def test_every_code_that_matters_is_in_the_table() -> None:
    """A code that nobody thought of would be retried, or dropped, by accident."""
    missing = []
    for name in dir(pycurl):
        short = name.removeprefix("E_")
        if short == name or short in NOT_IN_THE_TABLE:
            continue
        code = getattr(pycurl, name)
        if code not in FAULTS and not short.startswith(OTHER_PROTOCOLS):
            missing.append(name)
    assert missing == []


def test_what_is_not_in_the_table_is_a_bad_answer() -> None:
    assert failure_of(9999, system_error=0, bytes_received=0) == Failure.BAD_ANSWER


def test_a_failed_connection_is_told_by_the_systems_error() -> None:
    seen = [
        failure_of(pycurl.E_COULDNT_CONNECT, system_error=error, bytes_received=0)
        for error in (errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ETIMEDOUT, 0)
    ]
    assert seen == [
        Failure.REFUSED,
        Failure.UNREACHABLE,
        Failure.UNREACHABLE,
        Failure.TIMED_OUT,
        Failure.UNREACHABLE,
    ]


def test_a_silent_server_is_told_from_a_slow_one() -> None:
    code = pycurl.E_OPERATION_TIMEDOUT
    assert failure_of(code, system_error=0, bytes_received=0) == Failure.TIMED_OUT
    assert failure_of(code, system_error=0, bytes_received=1) == Failure.TOO_SLOW
