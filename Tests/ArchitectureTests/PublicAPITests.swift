import Foundation
import TestSupport
import Testing

/// The public API stands in a file, so that a review shows each change of it.
@Suite struct PublicAPITests {
    /// The modules that an app sees, and those of the package `Conventions`.
    private static let modules = [
        "Mapping", "Names", "ObjectStore", "RESTTransport", "RestfulData", "RestfulDataMetrics", "RestfulDataOpenAPI",
        "RestfulDataTesting", "RestfulDataTestingLoopback", "RestfulDataTestingTraits", "RestfulDataUI",
        "RestfulDataXML", "RestfulDataYAML", "Routes",
    ]
    private static let file = ProjectFolder.root.appending(path: "Documentation/PublicAPI.txt")

    @Test func `The list of the public API is complete`() throws {
        let declared = Self.declared(by: Project.sources).filter { line in
            Self.modules.contains { line.hasPrefix("\($0) ") }
        }
        try #require(declared.count > 1000)
        if ProcessInfo.processInfo.environment["UPDATE_PUBLIC_API"] != nil {
            try Data((declared.joined(separator: "\n") + "\n").utf8).write(to: Self.file)
        }
        let listed = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").map(String.init)
        let (old, new) = (Set(listed), Set(declared))
        let removed = listed.filter { !new.contains($0) }.map { "- \($0)" }
        let added = declared.filter { !old.contains($0) }.map { "+ \($0)" }
        #expect(removed + added == [], "the public API has changed; if that is meant, run Scripts/public-api")
        #expect(listed.count == declared.count)
    }

    @Test func `Public declarations are found with the types that they are in`() {
        let text = """
            public import Foundation
            /// public func comment()
            public struct A<B>: Sendable {
                public var text = "public let no = 1"
                var hidden = 1
                public init(
                    _ a: Int = 1, b: [Int]
                ) async throws(E) { self.a = a }
                public enum Kind { case one, two(Int) }
            }
            extension A.Kind where B == Int {
                @discardableResult
                public static func make() -> Self { .one }
            }
            enum Inner { case no }
            public protocol P: Sendable {
                associatedtype Value
                var value: Value { get }
            }
            public typealias Q = A<Int>
            public final class C { private func no() {} }
            """
        #expect(
            Self.declared(by: [SourceFile(path: "Sources/M/A.swift", text: text)]) == [
                "M A.Kind: public static func make() -> Self", "M A: public enum Kind",
                "M A: public init(_ a: Int = 1, b: [Int]) async throws(E)", "M A: public var text",
                "M P: associatedtype Value", "M P: var value: Value", "M public final class C",
                "M public protocol P: Sendable", "M public struct A<B>: Sendable", "M public typealias Q = A<Int>",
            ])
    }

    /// The declarations, each after its module's name, in a stable order.
    private static func declared(by sources: [SourceFile]) -> [String] {
        sources.flatMap { file -> [String] in
            let folders = file.path.split(separator: "/")
            let module = folders.count > 2 ? folders[folders[0] == "Sources" ? 1 : folders.count - 2] : "?"
            return file.publicDeclarations.map { "\(module) \($0)" }
        }.sorted()
    }
}
