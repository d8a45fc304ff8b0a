import RestfulData
import SwiftUI

/// Asks for a token of GitHub, or opens the demo.
struct SignInView: View {
    @Environment(Session.self) private var session
    @State private var token = ""
    @State private var isSigningIn = false
    @State private var problem: APIError?

    var body: some View {
        Form {
            Section {
                SecureField("Personal Access Token", text: $token)
                Button("Sign In") { Task { await signIn() } }
                    .disabled(token.isEmpty || isSigningIn)
                if isSigningIn { ProgressView() }
                ProblemRow(problem: problem)
            } header: {
                Text("GitHub")
            } footer: {
                Text("Make a token at github.com/settings/tokens. It is kept in your keychain.")
            }
            Section {
                Button("Try the Demo") {
                    // The demo's data is part of the app. If it's wrong, no user can correct it.
                    do { try session.signInToDemo() } catch { assertionFailure("\(error)") }
                }
            } footer: {
                Text("The demo needs neither an account nor a network.")
            }
        }
        .formStyle(.grouped)
        .frame(minWidth: 320, minHeight: 320)
    }

    private func signIn() async {
        isSigningIn = true
        problem = nil
        do throws(APIError) { try await session.signIn(token: token) } catch { problem = error }
        isSigningIn = false
    }
}

#Preview {
    SignInView().environment(Session(account: nil))
}
