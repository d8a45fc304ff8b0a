import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// The program of ``HouseStyleTests`` over real connections.
@MainActor @Suite(.timeLimit(.minutes(10))) struct HouseStyleLoopbackTests {
    @Test(arguments: [StyledService.djangoREST, .jsonAPI, .railsWithRoots])
    func `One program works with every style over HTTP`(_ style: StyledService) async throws {
        let seen = Box<[String]>([])
        try await withWebServer { line, fields in
            seen.value += [line]
            guard fields["accept"] == style.conventions.mediaType else { return .status(406) }
            let hasBody = line.contains(" {")
            guard !hasBody || fields["content-type"] == style.conventions.mediaType else { return .status(415) }
            // The service links to itself by its own address.
            var reply = style.reply(to: line)
            let text = String(decoding: reply.body, as: UTF8.self)
            let base = "http://\(fields["host"] ?? "")"
            reply.body = Array(text.replacing("https://api.example.com", with: base).utf8)
            return reply
        } _: { base in
            let api = API(base, conventions: style.conventions)
            let store = try Store(.temporary, models: Newsroom.models, api: api)
            try await HouseStyleTests.run(in: store.main)
            #expect(try await store.contents() == HouseStyleTests.contents)
        }
        #expect(seen.value == style.log)
    }
}
