import Foundation
import RestfulData
import RestfulDataTesting
import RestfulDataYAML
import Testing

/// Service files in YAML.
@Suite struct YAMLServiceTests {
    private func service(_ text: String, _ stub: StubTransport = StubTransport { _ in .json("[1]") }) throws
        -> WebService
    {
        let url = FileManager.default.temporaryDirectory.appending(path: "Service-\(UUID()).yaml")
        try Data(text.utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try WebService(yamlURL: url, api: API("https://api.example.com", transport: stub))
    }

    @Test func `A service described in YAML is called like any other`() async throws {
        let stub = StubTransport { _ in .json("[1]") }
        let service = try service(
            """
            # The numbers of a list.
            numbersOf:
              request:
                path: /lists/%0
                parameters: { limit: 5, big: true, ratio: 0.5, none: ~, name: "%1" }
            """, stub)
        let numbers: [Int] = try await service.numbersOf("a/b", "x y")
        #expect(numbers == [1])
        #expect(stub.log == ["GET /lists/a%2Fb?big=true&limit=5&name=x%20y&ratio=0.5"])
    }

    @Test(arguments: [
        ("a:\n  request:\n    pth: /a\n", "line 3, a.request: \"pth\" is no key of a request; did you mean \"path\"?"),
        ("a: {request: {path: /a}}\na: {request: {path: /b}}\n", "can't be read: "),
        ("a: [", "can't be read: "), ("", "a service file is an object"),
    ])
    func `A mistake in YAML is reported with its line`(_ text: String, _ message: String) {
        let error = #expect(throws: WebServiceError.self) { _ = try service(text) }
        #expect("\(String(describing: error))".contains(message) || error.map { "\($0)".contains(message) } == true)
    }
}
