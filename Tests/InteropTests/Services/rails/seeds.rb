# frozen_string_literal: true

# The tables, and what is in them when a test begins. The services of the other frameworks begin with the same.
module Seeds
  module_function

  def reset
    ActiveRecord::Base.transaction do
      ActiveRecord::Schema.verbose = false
      define_tables
      [Author, Tag, Article, Comment].each(&:reset_column_information)
      fill
      # A date tells states apart only once it is past. As SQL, which leaves `lock_version` alone.
      [Author, Article, Comment].each { |model| model.update_all(["updated_at = ?", 1.hour.ago]) }
    end
  end

  def define_tables
    ActiveRecord::Schema.define do
      create_table(:authors, force: true) do |t|
        t.string :name
        t.string :email
        t.date :born_on
        t.timestamps
      end
      create_table(:tags, force: true) { |t| t.string :name, index: { unique: true } }
      create_table(:articles, force: true) do |t|
        t.references :author
        t.string :title
        t.string :slug, index: { unique: true }
        t.text :body
        t.integer :state, default: 0, null: false
        t.datetime :published_at
        t.decimal :price, precision: 10, scale: 2
        t.boolean :featured, default: false, null: false
        t.integer :lock_version, default: 0, null: false
        t.timestamps
      end
      create_join_table(:articles, :tags, force: true)
      create_table(:comments, force: true) do |t|
        t.references :article
        t.references :author
        t.text :body
        t.timestamps
      end
    end
  end

  def fill
    authors = [["Ada Lovelace", "1815-12-10"], ["Alan Turing", "1912-06-23"], ["Grace Hopper", nil]].map do |name, born|
      Author.create!(name: name, email: "#{name.split.first.downcase}@example.org", born_on: born)
    end
    tags = %w[swift sqlite rest json].map { |name| Tag.create!(name: name) }
    (1..25).each do |n|
      article = Article.create!(
        author: authors[n % 3], title: "Article #{n}", slug: "article-#{n}", body: "The text of article #{n}.",
        state: n.odd? ? :published : :draft, published_at: n.odd? ? Time.utc(2024, 1, n, 12, 30, 0.25r) : nil,
        price: "#{n}.05", tags: [tags[n % 4], tags[(n + 1) % 4]].sort_by(&:id))
      (n == 1 ? 12 : 1).times { |m| article.comments.create!(author: authors[m % 3], body: "Comment #{m + 1} on #{n}") }
    end
  end
end
