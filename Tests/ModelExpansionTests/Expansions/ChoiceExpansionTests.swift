import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The expansion of `@ModelChoice`.
@Suite struct ChoiceExpansionTests {
    @Test func `An enum of models gets its conformance`() {
        expectExpansion(
            """
            @ModelChoice(by: "meta.kind")
            public enum Activity {
                case post(Post), `class`(Course)
            }
            """,
            """
            public enum Activity {
                case post(Post), `class`(Course)
            }

            nonisolated extension Activity: RestfulData.ModelChoice {
                nonisolated public static var choices: RestfulData.ModelChoices {
                    RestfulData.ModelChoices(by: "meta.kind", [(name: "post", type: Post.self), (name: "class", type: Course.self)])
                }

                nonisolated public init?(_ model: any RestfulData.Model) {
                    switch model {
                    case let value as Post: self = .post(value)
                    case let value as Course: self = .`class`(value)
                    default: return nil
                    }
                }

                nonisolated public var model: any RestfulData.Model {
                    switch self {
                    case .post(let value): value
                    case .`class`(let value): value
                    }
                }
            }
            """)
    }

    @Test(arguments: [
        ("case post(Post), other", 22, "other"), ("case other(Post, Event)", 10, "other"),
        ("case other(post: Post)", 10, "other"),
    ])
    func `An enum case without exactly one model is refused`(_ cases: String, _ column: Int, _ name: String) {
        let source = "enum Activity {\n    \(cases)\n}"
        expectExpansion(
            "@ModelChoice\n" + source, source,
            diagnostics: [
                DiagnosticSpec(
                    message: "'\(name)' needs one model as its value, as in 'case \(name)(Post)'", line: 3,
                    column: column)
            ])
    }

    @Test func `A case with the model of another one is refused`() {
        let source = "enum Activity {\n    case post(Post), entry(Post)\n}"
        expectExpansion(
            "@ModelChoice\n" + source, source,
            diagnostics: [
                DiagnosticSpec(
                    message: "'entry' has the same model as 'post', which gets all of its objects; leave one out",
                    line: 3, column: 22)
            ])
    }

    @Test func `An enum without cases is refused`() {
        expectExpansion(
            "@ModelChoice\nenum Activity {\n}", "enum Activity {\n}",
            diagnostics: [
                DiagnosticSpec(message: "'@ModelChoice' needs cases, as in 'case post(Post)'", line: 2, column: 6)
            ])
    }

    @Test func `A type that isn't an enum is refused as a choice of models`() {
        expectExpansion(
            "@ModelChoice\nstruct Activity {\n}", "struct Activity {\n}",
            diagnostics: [
                DiagnosticSpec(
                    message: "'@ModelChoice' makes an enum the type of a mixed list's elements; attach it to an enum",
                    line: 1, column: 1)
            ])
    }
}
