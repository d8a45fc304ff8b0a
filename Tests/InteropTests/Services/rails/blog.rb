# frozen_string_literal: true

# A blog as Rails makes one: resources, strong parameters, validations, Jbuilder and Rails' own replies to failures.
#
# What has not changed is answered 304, in the ways that Rails has for it: articles by the digest of the body that Rack::ETag makes of
# all that says nothing itself, authors by `stale?`, tags by a strong tag, comments by their date alone.
# Run it with `DATABASE_URL=sqlite3:/tmp/blog.sqlite puma -b tcp://127.0.0.1:0 config.ru`.

require "action_controller/railtie"
require "active_record/railtie"
require "jbuilder"
require "sqlite3"

class Blog < Rails::Application
  config.load_defaults 6.1
  config.root = __dir__
  config.eager_load = false
  config.api_only = true
  config.hosts.clear
  config.secret_key_base = "of loopback only"
  config.logger = Logger.new($stdout)
  config.log_level = :info
  # Failures are answered as in production: {"status": 404, "error": "Not Found"}.
  config.consider_all_requests_local = false
  # As bodies are compressed after they were digested, their digests stay the same.
  config.middleware.insert_before 0, Rack::Deflater
end

Blog.initialize!

class Author < ActiveRecord::Base
  has_many :articles
  validates :name, presence: true
end

class Tag < ActiveRecord::Base
  has_and_belongs_to_many :articles
  validates :name, presence: true, uniqueness: true
end

class Article < ActiveRecord::Base
  belongs_to :author
  has_many :comments, -> { order(:id) }, dependent: :destroy
  has_and_belongs_to_many :tags
  enum state: { draft: 0, published: 1 }
  validates :title, presence: true
  validates :slug, presence: true, uniqueness: true
  validates :price, numericality: { greater_than_or_equal_to: 0 }, allow_nil: true
end

class Comment < ActiveRecord::Base
  belongs_to :article
  belongs_to :author, optional: true
  validates :body, presence: true
end

require_relative "seeds"
Seeds.reset

# What all resources have in common; each says how it is written in JSON.
class ResourcesController < ActionController::API
  # As `rails new` sets it up: {"title": "…"} is taken as {"article": {"title": "…"}}.
  wrap_parameters format: [:json]

  PER_PAGE = 10

  def index
    page = [params.fetch(:page, 1).to_i, 1].max
    records = scope.order(:id).limit(PER_PAGE).offset((page - 1) * PER_PAGE).to_a
    last = [(scope.count / PER_PAGE.to_f).ceil, 1].max
    response.headers["Link"] = links(page, last)
    return unless changed?(records)
    answer records, pages: { current_page: page, next_page: (page + 1 if page < last), total_pages: last }
  end

  def show
    record = scope.find(params[:id])
    answer record if changed?([record])
  end

  def create
    record = scope.new(permitted)
    return refuse(record) unless record.save
    answer record, status: :created, location: polymorphic_path([(:wrapped if wrapped?), *owners, record].compact)
  end

  def update
    record = scope.find(params[:id])
    record.update(permitted) ? answer(record) : refuse(record)
  end

  def destroy
    scope.find(params[:id]).destroy!
    head :no_content
  end

  private

  # A value of the path: a document's author_id is another matter.
  def within(key) = request.path_parameters[key]

  # Whether the client has another state than this; else it is answered.
  def changed?(_records) = true

  # What comes before the resource in its path.
  def owners = []

  # Below /wrapped each document has a root, as many Rails services have it.
  def wrapped? = within(:wrapped)

  def name = controller_name.singularize

  def answer(found, pages: nil, **options)
    json = found.is_a?(Array) ? found.map { |record| document(record) } : document(found)
    json = { (found.is_a?(Array) ? controller_name : name) => json } if wrapped?
    json[:meta] = pages if wrapped? && pages
    render json: json, **options
  end

  def document(record)
    Jbuilder.new { |json| write(json, record) }.attributes!
  end

  def refuse(record)
    render json: wrapped? ? { errors: record.errors } : record.errors, status: :unprocessable_entity
  end

  def links(page, last)
    pages = { first: 1, prev: page - 1, next: page + 1, last: last }.select { |_, number| (1..last).cover?(number) }
    pages.map { |rel, number| "<#{url_for(request.query_parameters.merge(page: number, only_path: false))}>; rel=\"#{rel}\"" }.join(", ")
  end
end

class AuthorsController < ResourcesController
  private

  def changed?(authors) = stale?(etag: authors, last_modified: authors.map(&:updated_at).max)

  def scope = Author.all

  def permitted = params.require(:author).permit(:name, :email, :born_on)

  def write(json, author)
    json.call(author, :id, :name, :email, :born_on, :created_at, :updated_at)
  end
end

class TagsController < ResourcesController
  # POST /articles/1/tags {"tag_ids": [2]} puts tags on the article, {"name": "new"} makes one for it.
  def create
    return super unless article
    return add(Tag.find(params[:tag_ids])) if params[:tag_ids]
    tag = Tag.new(permitted)
    return refuse(tag) unless tag.save
    article.tags << tag
    answer tag, status: :created
  end

  # PUT /articles/1/tags/2 puts the tag on the article.
  def update
    return super unless article
    add [Tag.find(params[:id])]
  end

  # DELETE /articles/1/tags/2 takes it off the article, and leaves the tag.
  def destroy
    return super unless article
    article.tags.delete(article.tags.find(params[:id]))
    head :no_content
  end

  private

  def article
    @article ||= Article.find(within(:article_id)) if within(:article_id)
  end

  def add(tags)
    article.tags << tags - article.tags
    head :no_content
  end

  def changed?(tags) = stale?(strong_etag: tags.map { |tag| [tag.id, tag.name] })

  def scope = article ? article.tags : Tag.all

  def permitted = params.require(:tag).permit(:name)

  def write(json, tag)
    json.call(tag, :id, :name)
  end
end

class ArticlesController < ResourcesController
  # Of a document without a root Rails takes what is a column; a list of ids is none.
  wrap_parameters :article, include: Article.attribute_names + ["tag_ids"]

  private

  def scope = within(:author_id) ? Author.find(within(:author_id)).articles : Article.all

  def permitted
    params.require(:article).permit(
      :title, :slug, :body, :state, :published_at, :price, :featured, :author_id, :lock_version, tag_ids: [])
  end

  def write(json, article)
    json.call(
      article, :id, :title, :slug, :body, :state, :published_at, :price, :featured, :lock_version, :created_at, :author_id,
      :tag_ids)
    json.author { json.call(article.author, :id, :name) }
    json.tags(article.tags) { |tag| json.call(tag, :id, :name) }
  end
end

class CommentsController < ResourcesController
  private

  def article = @article ||= Article.find(within(:article_id))

  def owners = [article]

  def changed?(comments) = stale?(last_modified: comments.map(&:updated_at).max || article.updated_at)

  def scope = article.comments

  def permitted = params.require(:comment).permit(:body, :author_id)

  def write(json, comment)
    json.call(comment, :id, :article_id, :author_id, :body, :created_at)
  end
end

# Begins anew as seeds.rb says.
class ResetsController < ActionController::API
  def create
    Seeds.reset
    head :no_content
  end
end

Rails.application.routes.draw do
  resource :reset, only: :create
  blog = lambda do
    resources(:authors) { resources :articles, only: :index }
    resources :tags
    resources :articles do
      resources :comments
      resources :tags, except: :show
    end
  end
  instance_exec(&blog)
  scope(path: "wrapped", as: "wrapped", defaults: { wrapped: true }) { instance_exec(&blog) }
end
