package dev.sharding.internal.sharder.http;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSessionContext;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of the JDK, of which so many handshakes may be under way and no more. Whoever
 * is honest takes milliseconds, so for a further one the oldest ends: connections that
 * say nothing cannot keep others from the listener. Options, as these are where Vert.x
 * lets in who sees connections before their handshake.
 */
final class Handshakes extends JdkSSLEngineOptions {

	private final int most;

	private final Runnable ended;

	/* The oldest first. Guarded by itself, as several event loops shake hands. */
	private final Set<Channel> underWay = new LinkedHashSet<>();

	/**
	 * Creates options.
	 * @param most how many handshakes may be under way
	 * @param ended is told each that was ended for a further one
	 */
	Handshakes(int most, Runnable ended) {
		this.most = most;
		this.ended = ended;
	}

	@Override
	public JdkSSLEngineOptions copy() {
		return this;
	}

	@Override
	public SslContextFactory sslContextFactory() {
		return new DefaultSslContextFactory(SslProvider.JDK, false) {

			@Override
			public SslContext create() throws SSLException {
				return new Context(super.create());
			}

		};
	}

	private void begin(Channel channel) {
		Channel oldest = add(channel);
		if (oldest != null) {
			this.ended.run();
			oldest.close();
		}
	}

	private @Nullable Channel add(Channel channel) {
		synchronized (this.underWay) {
			Channel oldest = null;
			if (this.underWay.size() >= this.most) {
				Iterator<Channel> channels = this.underWay.iterator();
				oldest = channels.next();
				channels.remove();
			}
			this.underWay.add(channel);
			return oldest;
		}
	}

	private void end(Channel channel) {
		synchronized (this.underWay) {
			this.underWay.remove(channel);
		}
	}

	/**
	 * Makes handlers that tell when a handshake begins and ends.
	 */
	private final class Context extends SslContext {

		private final SslContext context;

		private Context(SslContext context) {
			this.context = context;
		}

		@Override
		protected SslHandler newHandler(ByteBufAllocator allocator, boolean startTls, Executor tasks) {
			return handler(newEngine(allocator), startTls, tasks);
		}

		@Override
		protected SslHandler newHandler(ByteBufAllocator allocator, String host, int port, boolean startTls,
				Executor tasks) {
			return handler(newEngine(allocator, host, port), startTls, tasks);
		}

		private SslHandler handler(SSLEngine engine, boolean startTls, Executor tasks) {
			return new SslHandler(engine, startTls, tasks) {

				@Override
				public void handlerAdded(ChannelHandlerContext context) throws Exception {
					super.handlerAdded(context);
					Channel channel = context.channel();
					begin(channel);
					handshakeFuture().addListener((done) -> end(channel));
				}

			};
		}

		@Override
		public SSLEngine newEngine(ByteBufAllocator allocator) {
			return this.context.newEngine(allocator);
		}

		@Override
		public SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
			return this.context.newEngine(allocator, host, port);
		}

		@Override
		public boolean isClient() {
			return this.context.isClient();
		}

		@Override
		public List<String> cipherSuites() {
			return this.context.cipherSuites();
		}

		@Override
		public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
			return this.context.applicationProtocolNegotiator();
		}

		@Override
		public SSLSessionContext sessionContext() {
			return this.context.sessionContext();
		}

	}

}
