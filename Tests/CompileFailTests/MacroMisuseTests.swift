import Testing

/// The macro's diagnostics reach the compiler's user; what each says in full, and its fix-it, is tested where the macro is.
@Suite(.serialized, .enabled(if: ClientCompiler.isExpected, "no record of the build's compiler calls is here"))
struct MacroMisuseTests {
    @Test(arguments: misuses)
    func `The compiler refuses a declaration that can't work`(_ misuse: Misuse) async throws {
        try await misuse.check(.swift6, preamble: "import RestfulData\n\n")
    }

    static let misuses: [Misuse] = [
        Misuse(
            "a struct",
            refused: "@Model struct User { var identifier: Int? }",
            error: "a model is a class, as all who hold an object see the same one; 'struct' can't be one",
            accepted: "@Model final class User { var identifier: Int? }"),
        Misuse(
            "an attribute that is neither optional nor defaulted",
            refused: "@Model final class User { var identifier: Int?; var login: String }",
            error: "'login' is neither optional nor defaulted, and a reply may leave it out",
            accepted: "@Model final class User { var identifier: Int?; var login: String = \"\" }"),
        Misuse(
            "a name in a route that the class does not have",
            refused: #"@Model("/users/:logn") final class User { var identifier: Int?; var login = "" }"#,
            error: "':logn' stands for a property that 'User' does not have; did you mean ':login'?",
            accepted: #"@Model("/users/:login") final class User { var identifier: Int?; var login = "" }"#),
        Misuse(
            "a constant",
            refused: "@Model final class User { var identifier: Int?; let login = \"\" }",
            error: "a model's property is a 'var', as a reply can change it",
            accepted: "@Model final class User { var identifier: Int?; var login = \"\" }"),
        Misuse(
            "a Sendable model",
            refused: "@Model final class User: @unchecked Sendable { var identifier: Int? }",
            error: "a model can't be 'Sendable', as an object is used where its context is",
            accepted: "@Model final class User { var identifier: Int? }"),
    ]
}
