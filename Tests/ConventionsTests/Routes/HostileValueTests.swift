import Conventions
import Foundation
import TestSupport
import Testing

/// Values that try to lead a request elsewhere.
@Suite struct HostileValueTests {
    private static let pieces = [
        "/", "/", ".", "..", "%2e", "%2F", "%", "?", "#", "&", "=", "+", ";", ":", "@", "\\", " ", "\r\n", "\n", "\t",
        "\u{0}",
        "\u{7F}", "ü", "名", "😀", "\u{FEFF}", "\u{202E}", "\u{301}", "a", "Z", "0", "~", "-", "_", "{", "}", "[", "]",
        "\"", "<", "|",
        "^", "`", "//evil.example", "http://evil.example/", "javascript:", "host:80", "..;", "．．",
    ]

    private static let templates = [
        "/users/:value", "/users/:value/posts", "/a/:value.json?x=:value&y=1", "https://example.com/:value/b?q=:value",
        "/a-:value-b/:value", "/.:{value}/x", "/:{value}./x", "/:value:value/",
    ]

    private static let pathCharacters = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/%")

    @Test(arguments: templates)
    func `A value of random characters stays in its placeholder's place in the URL`(_ text: String) throws {
        let template = try RouteTemplate(text)
        let harmless = try template.expand(["value": "x"])
        var random = SeededGenerator(seed: 42)
        for _ in 0..<2_000 {
            let length = Int.random(in: 1...6, using: &random)
            let value = (0..<length).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
            let url: String
            do {
                url = try template.expand(["value": RouteValue(value)])
            } catch {
                #expect(error == .unsafePath(template: text, name: "value"), "\(value.debugDescription)")
                continue
            }
            try expectPlace(of: value, in: url, template: template, like: harmless)
        }
    }

    private func expectPlace(of value: String, in url: String, template: RouteTemplate, like harmless: String) throws {
        let components = try #require(URLComponents(string: url), "\(url)")
        let expected = try #require(URLComponents(string: harmless))
        #expect(components.scheme == expected.scheme)
        #expect(components.host == expected.host)
        #expect(components.port == expected.port)
        #expect(components.user == nil)
        #expect(components.fragment == nil)
        let path = components.percentEncodedPath
        #expect(path.unicodeScalars.allSatisfy { Self.pathCharacters.contains($0) }, "\(path)")
        let slashes = value.utf8.count { $0 == UInt8(ascii: "/") }
        let inPath = template.placeholders.count { $0.position == .path }
        #expect(segments(path).count == segments(expected.percentEncodedPath).count + slashes * inPath, "\(url)")
        #expect(!segments(path).dropFirst().dropLast().contains { ["", ".", ".."].contains($0) }, "\(url)")
        #expect(![".", ".."].contains(segments(path).last), "\(url)")
        // A standards-conforming client resolves the URL to the very path that was made.
        let base = try #require(URL(string: "https://api.example/v1/"))
        #expect(URL(string: url, relativeTo: base)?.absoluteURL.path(percentEncoded: true) == path)
        #expect(components.queryItems?.count == expected.queryItems?.count)
        #expect(components.queryItems?.map(\.name) == expected.queryItems?.map(\.name))
        let query = url.split(separator: "?", maxSplits: 1).dropFirst().first
        if let item = query?.split(separator: "&").first?.split(separator: "=", maxSplits: 1).last {
            #expect(bytes(ofEncoded: item) == Array(value.utf8))
        }
    }

    private func bytes(ofEncoded text: Substring) -> [UInt8] {
        let pieces = text.split(separator: "%", omittingEmptySubsequences: false)
        return Array(pieces[0].utf8)
            + pieces.dropFirst().flatMap { [UInt8($0.prefix(2), radix: 16) ?? 0] + Array($0.dropFirst(2).utf8) }
    }

    private func segments(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }

    @Test(arguments: [
        "/", "//", "a/", "/a", "a//b", ".", "..", "../a", "a/..", "a/../b", "a/./b", "./a", "..;", "..;x=1", "a/..;/b",
        ".;x",
        "a/.", "//evil.example", "a/;/..", ";/..",
    ])
    func `An unsafe value is refused in a path and allowed in a query`(_ value: String) throws {
        let template = try RouteTemplate("/repos/:full_name")
        #expect(throws: RouteTemplateError.unsafePath(template: "/repos/:full_name", name: "full_name")) {
            try template.expand(["full_name": RouteValue(value)])
        }
        let query = try RouteTemplate("/search?q=:full_name")
        #expect(try query.expand(["full_name": RouteValue(value)]).hasPrefix("/search?q="))
    }

    /// Some servers read `/users/;x` as `/users/` with a parameter, which is the collection.
    @Test(arguments: [
        (";", "%3B", "%3B"), (";x", "%3Bx", "%3Bx"), (";;x", "%3B;x", "%3B;x"), ("a;b", "a;b", "a;b"),
        ("a/;/b", "a/%3B/b", "a%2F%3B%2Fb"), (";a/;b=1", "%3Ba/%3Bb=1", "%3Ba%2F%3Bb=1"), (";..", "%3B..", "%3B.."),
    ])
    func `A semicolon at the beginning of a value's segment is escaped`(
        _ value: String, _ path: String, _ segment: String
    ) throws {
        let template = try RouteTemplate("/users/:login/posts")
        #expect(try template.expand(["login": RouteValue(value)]) == "/users/\(path)/posts")
        let escaping = template.settingSegments { _ in true }
        #expect(try escaping.expand(["login": RouteValue(value)]) == "/users/\(segment)/posts")
        #expect(
            try RouteTemplate("/users/a:login").expand(["login": RouteValue(value)]).hasPrefix("/users/a;")
                == (value.first == ";"))
    }

    @Test func `A value can't complete a dot segment together with the template`() throws {
        #expect(throws: RouteTemplateError.self) { try RouteTemplate("/a/.:{x}/b").expand(["x": "."]) }
        #expect(throws: RouteTemplateError.self) { try RouteTemplate("/a/:x:y").expand(["x": ".", "y": "."]) }
        #expect(throws: RouteTemplateError.self) { try RouteTemplate("/a/%2E:x").expand(["x": "."]) }
        #expect(throws: RouteTemplateError.self) { try RouteTemplate("/a/:x/b").expand(["x": "c/"]) }
        #expect(try RouteTemplate("/a/:x").expand(["x": "..."]) == "/a/...")
        #expect(try RouteTemplate("/a/:x").expand(["x": "%2e%2e"]) == "/a/%252e%252e")
        #expect(try RouteTemplate("/a/:x").expand(["x": "..\\.."]) == "/a/..%5C..")
        #expect(try RouteTemplate("/a/:x").expand(["x": "a\r\nHost: b\u{0}"]) == "/a/a%0D%0AHost:%20b%00")
    }

    @Test func `The error about an unsafe value doesn't hold the value`() throws {
        let error = #expect(throws: RouteTemplateError.self) { try RouteTemplate("/a/:x").expand(["x": "secret/.."]) }
        #expect(!"\(String(describing: error)) \(String(reflecting: error))".contains("secret"))
    }
}
