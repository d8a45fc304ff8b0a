import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// Compressed bodies, whole and broken, and interim replies.
@Suite struct EncodedBodyTests {
    private static let text = #"{"id": 1, "title": "A"}"#

    private func reply(_ kind: TransportKind, _ head: String, _ body: String) async throws -> Result<
        String, TransportError
    > {
        let bytes = [UInt8](try #require(Data(base64Encoded: body)))
        return try await RawServer.run { _ in
            [.send(head + "Content-Length: \(bytes.count)\r\n\r\n"), .sendBytes(bytes)]
        } _: { _, base in
            do throws(TransportError) {
                let reply = try await kind.make().send(APIRequest(.get, base + "/", timeout: patience))
                return .success(String(decoding: reply.body, as: UTF8.self))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test(
        arguments: TransportKind.allCases,
        [
            "H4sIAAAAAAACA6tWykxRslIw1FFQKsksyUkFspU=",
            "H4sIAAAAAAACA6tWykxRslIw1FFQKsksyUkFspUclWoBico/khc=",
            "H4sIAAAAAAACA6tWykxRslIw1FFQKsksyUkFspUclWoBAAAAABcAAAA=", "e30=", "H4sI",
        ]) func `A truncated or invalid compressed body is malformed`(kind: TransportKind, body: String) async throws
    {
        let reply = try await reply(kind, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n", body)
        guard case .failure(let error) = reply, case .malformedResponse = error.reason else {
            Issue.record("\(reply)")
            return
        }
    }

    @Test(
        arguments: TransportKind.allCases,
        [
            ("gzip", "H4sIAAAAAAACA6tWykxRslIw1FFQKsksyUkFspUclWoBico/khcAAAA="),
            ("GZip", "H4sIAAAAAAACA6tWykxRslIw1FFQKsksyUkFspUclWoBico/khcAAAA="),
            ("deflate", "eJyrVspMUbJSMNRRUCrJLMlJBbKVHJVqAUq6BiY="),
            ("identity", "eyJpZCI6IDEsICJ0aXRsZSI6ICJBIn0="),
        ]) func `A whole compressed body is read`(kind: TransportKind, encoded: (String, String)) async throws
    {
        let reply = try await reply(kind, "HTTP/1.1 200 OK\r\nContent-Encoding: \(encoded.0)\r\n", encoded.1)
        #expect(try reply.get() == Self.text)
    }

    @Test(
        arguments: TransportKind.allCases,
        [
            "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n",
            "HTTP/1.1 102 Processing\r\nContent-Length: 5\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n",
        ])
    func `Interim replies before the reply are skipped`(kind: TransportKind, notice: String) async throws {
        let reply = try await reply(
            kind, notice + "HTTP/1.1 200 OK\r\n", "eyJpZCI6IDEsICJ0aXRsZSI6ICJBIn0=")
        #expect(try reply.get() == Self.text)
    }
}
