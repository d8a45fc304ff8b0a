import SwiftDiagnostics
package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@ModelChoice`.
package protocol ChoiceExpansion: ExtensionMacro {}

extension ChoiceExpansion {
    package static var formatMode: FormatMode { .disabled }

    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let syntax = declaration.as(EnumDeclSyntax.self) else {
            let message = "'@ModelChoice' makes an enum the type of a mixed list's elements; attach it to an enum"
            context.report([Finding(NotAChoice.self, at: node, message)])
            return []
        }
        let choice = DeclaredChoice(syntax, node)
        context.report(NotAChoice.findings(in: choice))
        return choice.isValid ? [choice.conformance(of: type)] : []
    }
}

enum NotAChoice {
    static func findings(in choice: DeclaredChoice) -> [Finding] {
        let wrong = choice.cases.filter { $0.type == nil }.map { element in
            let name = element.syntax.name.text
            return Finding(
                Self.self, at: element.syntax.name,
                "'\(name)' needs one model as its value, as in 'case \(name)(Post)'")
        }
        guard choice.cases.isEmpty else { return wrong + repeated(in: choice) }
        return [Finding(Self.self, at: choice.syntax.name, "'@ModelChoice' needs cases, as in 'case post(Post)'")]
    }

    /// An earlier case with the same model would get all of its objects.
    private static func repeated(in choice: DeclaredChoice) -> [Finding] {
        var names: [String: String] = [:]
        var findings: [Finding] = []
        for element in choice.cases {
            guard let type = element.type else { continue }
            let name = element.syntax.name.text
            if let first = names[type] {
                let message = "'\(name)' has the same model as '\(first)', which gets all of its objects; leave one out"
                findings.append(Finding(Self.self, at: element.syntax.name, message))
            } else {
                names[type] = name
            }
        }
        return findings
    }
}

struct DeclaredChoice {
    /// The type is nil unless the case has one value.
    struct Case {
        let syntax: EnumCaseElementSyntax
        let type: String?
    }

    let syntax: EnumDeclSyntax
    let cases: [Case]
    private let key: String

    init(_ syntax: EnumDeclSyntax, _ attribute: AttributeSyntax) {
        self.syntax = syntax
        key = attribute.argumentList?[label: "by"]?.trimmedDescription ?? "\"type\""
        cases = syntax.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }.flatMap(\.elements)
            .map { element in
                let values = element.parameterClause?.parameters ?? []
                return Case(
                    syntax: element,
                    type: values.count == 1 && values.first?.firstName == nil
                        ? values.first?.type.trimmedDescription : nil)
            }
    }

    var isValid: Bool { !cases.isEmpty && Set(cases.compactMap(\.type)).count == cases.count }

    func conformance(of type: some TypeSyntaxProtocol) -> ExtensionDeclSyntax {
        let access = AccessLevel(syntax.modifiers).prefix
        let types = cases.map { element in
            "(name: \"\(element.syntax.name.text.filter { $0 != "`" })\", type: \(element.type ?? "").self)"
        }
        let made = cases.map { element in
            "case let value as \(element.type ?? ""): self = .\(element.syntax.name.text)(value)"
        }
        let models = cases.map { "case .\($0.syntax.name.text)(let value): value" }
        let text = """
            nonisolated extension \(type.trimmedDescription): RestfulData.ModelChoice {
                nonisolated \(access)static var choices: RestfulData.ModelChoices {
                    RestfulData.ModelChoices(by: \(key), [\(types.joined(separator: ", "))])
                }

                nonisolated \(access)init?(_ model: any RestfulData.Model) {
                    switch model {
                    \(made.joined(separator: "\n        "))
                    default: return nil
                    }
                }

                nonisolated \(access)var model: any RestfulData.Model {
                    switch self {
                    \(models.joined(separator: "\n        "))
                    }
                }
            }
            """
        return ExtensionDeclSyntax(text: text)
    }
}
