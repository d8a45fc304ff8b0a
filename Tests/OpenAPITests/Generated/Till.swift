// Models of Till, made of till.json by `swift package generate-models`.
// A start: rename, remove and correct what you like. `store.check(against:)` compares them with the file.

import Foundation
import RestfulData

/// Somebody who pays. Keep the identity.
///
/// `GET, POST /v1/customers` and `GET, POST, DELETE /v1/customers/{customer}`
@Model("/v1/customers", envelope: .list("data"), saveMethod: .post)
final class Customer {
    enum TaxExempt: String {
        case exempt
        case noneValue = "none"
        case reverse
    }

    var identifier: String?
    @Attribute(access: .readOnly) var object: String?
    /// Where they live.
    @Relationship(inverse: nil, sentAs: .never) var address: Address?
    @Attribute(access: .readOnly) var balance: Int?
    @Attribute(access: .readOnly, format: .epochSeconds) var created: Date?
    @Attribute(access: .readOnly) var defaultSource: JSONValue?
    @Attribute("description", access: .createOnly) var summary: String?
    var email: String?
    @Attribute(access: .readOnly) var livemode: Bool?
    var metadata: [String: String]?
    var name: String?
    @Relationship(inverse: nil) var shipping: Shipping?
    @Attribute(access: .readOnly) var taxExempt: TaxExempt?
    @Relationship(json: "sources.data", inverse: nil, sentAs: .never) var sources: [Card]
    @Attribute(access: .readOnly) var deleted: Bool?
    @Relationship(inverse: "customer") var balanceTransactions: [CustomerBalanceTransaction]
}

/// `GET, POST /v1/customers/{customer}/balance_transactions` and `GET
/// /v1/customers/{customer}/balance_transactions/{transaction}`
@Model("/v1/customers/:customer.id/balance_transactions", envelope: .list("data"))
final class CustomerBalanceTransaction {
    var identifier: String?
    var amount = 0
    var currency: String?
    @Relationship(sentAs: .never) var customer: Customer?
    @Attribute(access: .readOnly, format: .epochSeconds) var created: Date?
}

/// `GET, POST /v1/charges` and `GET /v1/charges/{charge}`
@Model("/v1/charges", envelope: .list("data"))
final class Charge {
    var identifier: String?
    var amount = 0
    @Attribute(access: .readOnly) var amountRefunded: Int?
    @Attribute(access: .readOnly) var paid = false
    @Relationship(inverse: nil) var customer: Customer?
    @Relationship(inverse: nil, sentAs: .never) var invoice: Invoice?
    @Relationship(json: "refunds.data", inverse: nil, sentAs: .never) var refunds: [Refund]
    @Attribute(access: .readOnly) var fraudDetails: [String: String]?
    @Relationship(inverse: nil, sentAs: .never) var outcome: Outcome?
}

/// `GET /v1/invoices/{invoice}`
@Model("/v1/invoices")
final class Invoice {
    var identifier: String?
    var total: Int?
    var hostedInvoiceURL: URL?
    @Relationship(inverse: nil) var charge: Charge?
    @Relationship(json: "lines.data", inverse: nil) var lines: [LineItem]
    var taxPercent: Double?
}

@Model(embedded: true)
final class Address {
    var line1: String?
    var postalCode: String?
}

@Model(embedded: true)
final class Shipping {
    @Relationship(inverse: nil) var address: Address?
    var name: String?
}

@Model
final class Card {
    var identifier: String?
    var last4: String?
    var expMonth: Int?
    @Relationship(inverse: nil) var customer: Customer?
}

@Model
final class Refund {
    var identifier: String?
    var amount: Int?
    @Relationship(inverse: nil) var charge: Charge?
}

@Model(embedded: true)
final class Outcome {
    var riskScore: Int?
    var type: String?
}

@Model
final class LineItem {
    var identifier: String?
    var amount: Int?
    var proration: Bool?
}
