package dev.sharding.internal.sharder.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.function.Consumer;

import dev.sharding.internal.sharder.watch.EventLoop;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A certificate in files that somebody else renews, such as cert-manager through a
 * mounted Secret. The files are read again and again, as a mounted volume changes by a
 * swap of symbolic links that not every file watch tells. Two files that do not belong
 * together, as they were read amid such a swap, are refused by whoever serves, and read
 * again.
 */
public final class FileCertificates implements CertificateSource {

	private static final Logger log = LoggerFactory.getLogger(FileCertificates.class);

	private final Path certificate;

	private final Path key;

	private final Duration period;

	private final Consumer<ServingCertificate> listener;

	private final EventLoop loop = new EventLoop("sharder-certificates");

	private @Nullable ServingCertificate told;

	private volatile @Nullable String problem;

	/**
	 * Creates a source.
	 * @param certificate the file with the certificate chain, PEM
	 * @param key the file with the private key, PEM
	 * @param period how often the files are read
	 * @param listener is told each certificate, on a thread of the source
	 */
	public FileCertificates(Path certificate, Path key, Duration period, Consumer<ServingCertificate> listener) {
		this.certificate = certificate;
		this.key = key;
		this.period = period;
		this.listener = listener;
	}

	@Override
	public void start() {
		this.loop.execute(this::look);
	}

	@Override
	public @Nullable String problem() {
		return this.problem;
	}

	@Override
	public void close() {
		this.loop.close();
	}

	private void look() {
		try {
			ServingCertificate read = new ServingCertificate(Files.readString(this.certificate),
					Files.readString(this.key), null);
			// After a refusal even the old one is news to whoever serves.
			if (!read.equals(this.told) || this.problem != null) {
				if (Pem.readCertificates(read.certificate()).isEmpty()) {
					throw new GeneralSecurityException("no certificate in it");
				}
				if (!tell(read)) {
					return;
				}
			}
			this.problem = null;
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			failed("Failed to read the certificate of the webhook from %s and %s: %s".formatted(this.certificate,
					this.key, ex.getClass().getSimpleName()));
		}
		finally {
			this.loop.schedule(this::look, this.period);
		}
	}

	/* Who serves knows best why he does not, and says nothing of the key. */
	private boolean tell(ServingCertificate read) {
		try {
			this.listener.accept(read);
			this.told = read;
			log.info("Read the certificate of the webhook file={}", this.certificate);
			return true;
		}
		catch (IllegalStateException refused) {
			failed("Failed to serve with the certificate from %s and %s: %s".formatted(this.certificate, this.key,
					refused.getMessage()));
			return false;
		}
	}

	private void failed(String text) {
		if (!text.equals(this.problem)) {
			log.warn("{}", text);
		}
		this.problem = text;
	}

}
