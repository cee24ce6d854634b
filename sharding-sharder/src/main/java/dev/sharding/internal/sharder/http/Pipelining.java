package dev.sharding.internal.sharder.http;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;

/**
 * Ends a connection of HTTP/1.1 that sends requests and does not take the answers. The
 * server reads each request that comes, and keeps those that wait for their turn; HTTP/2
 * has a limit of its own.
 * <p>
 * A request counts until the last of its answer has left for the socket. What follows the
 * last request of a connection is dropped here, as Vert.x would keep its memory.
 */
final class Pipelining extends ChannelDuplexHandler {

	private final int most;

	private final Runnable refused;

	/* All for the event loop of the connection alone. */
	private int unanswered;

	private boolean last;

	private boolean over;

	private Pipelining(int most, Runnable refused) {
		this.most = most;
		this.refused = refused;
	}

	/**
	 * Limits a new connection.
	 * @param most how many requests may be without their whole answer
	 * @param refused told once, when that is exceeded
	 */
	static void limit(HttpConnection connection, int most, Runnable refused) {
		if (connection instanceof HttpServerConnection server) {
			ChannelHandlerContext context = server.channelHandlerContext();
			context.pipeline().addBefore(context.name(), "pipelining", new Pipelining(most, refused));
		}
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (!this.over && message instanceof HttpRequest request) {
			this.last = !keepsAlive(request);
			if (++this.unanswered > this.most) {
				this.over = true;
				this.refused.run();
				context.close();
			}
		}
		if (this.over) {
			ReferenceCountUtil.release(message);
			return;
		}
		this.over = this.last && message instanceof LastHttpContent;
		context.fireChannelRead(message);
	}

	/* As Vert.x sees it. */
	private static boolean keepsAlive(HttpRequest request) {
		HttpVersion version = request.protocolVersion();
		return (version.equals(HttpVersion.HTTP_1_1) || version.equals(HttpVersion.HTTP_1_0))
				&& HttpUtil.isKeepAlive(request);
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		boolean interim = message instanceof HttpResponse answer
				&& answer.status().codeClass() == HttpStatusClass.INFORMATIONAL;
		ChannelPromise sent = promise;
		if (message instanceof LastHttpContent && !interim) {
			sent = promise.unvoid();
			sent.addListener((end) -> this.unanswered--);
		}
		context.write(message, sent);
	}

}
