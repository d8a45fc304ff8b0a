import Foundation

/// A user's name and token, as the keychain has them.
struct StoredLogin: Codable {
    let login: String
    let token: String
}

#if canImport(Security)
    import Security

    /// Keeps the login of the last session. Tokens stay out of the store.
    enum Keychain {
        private static var query: [String: Any] {
            [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "RestfulData Issues"]
        }

        static func load() -> StoredLogin? {
            var query = query
            query[kSecReturnData as String] = true
            var item: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess, let data = item as? Data else {
                return nil
            }
            return try? JSONDecoder().decode(StoredLogin.self, from: data)
        }

        /// Replaces the login; nil removes it.
        static func save(_ login: StoredLogin?) {
            SecItemDelete(query as CFDictionary)
            guard let login, let data = try? JSONEncoder().encode(login) else { return }
            var query = query
            query[kSecValueData as String] = data
            SecItemAdd(query as CFDictionary, nil)
        }
    }
#else
    /// Forgets everything: this system lacks a keychain.
    enum Keychain {
        static func load() -> StoredLogin? { nil }
        static func save(_ login: StoredLogin?) {}
    }
#endif
