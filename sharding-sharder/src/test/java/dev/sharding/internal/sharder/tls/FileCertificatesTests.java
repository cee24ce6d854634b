package dev.sharding.internal.sharder.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class FileCertificatesTests {

	@TempDir
	private Path folder;

	private final Map<String, ServingCertificate> mounted = new ConcurrentHashMap<>();

	private final List<ServingCertificate> told = new CopyOnWriteArrayList<>();

	private final AtomicReference<Predicate<ServingCertificate>> refused = new AtomicReference<>((any) -> false);

	private FileCertificates files;

	@BeforeEach
	void create() {
		this.files = new FileCertificates(this.folder.resolve("data/tls.crt"), this.folder.resolve("data/tls.key"),
				Duration.ofMillis(20), this::serve);
	}

	@AfterEach
	void close() {
		this.files.close();
	}

	@Test
	void tellsWhatIsInTheFilesAndNothingOfAuthorities() throws IOException {
		ServingCertificate first = mount("v1");
		this.files.start();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !this.told.isEmpty());
		assertThat(this.told).containsExactly(new ServingCertificate(first.certificate(), first.key(), null));
		assertThat(this.files.problem()).isNull();
	}

	@Test
	void tellsTheNextOneWhenTheMountedVolumeIsSwapped() throws IOException {
		mount("v1");
		this.files.start();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.told.size() == 1);
		ServingCertificate next = mount("v2");
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.told.size() == 2);
		assertThat(this.told.get(1).certificate()).isEqualTo(next.certificate());
	}

	@Test
	void saysWhatIsMissingWithoutQuotingItAndKeepsOnLooking() throws IOException {
		this.files.start();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.files.problem() != null);
		assertThat(this.files.problem()).contains("tls.crt").contains("NoSuchFileException");
		mount("v1");
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.files.problem() == null);
		Path broken = Files.createDirectories(this.folder.resolve("broken"));
		Files.writeString(broken.resolve("tls.crt"), "no certificate");
		Files.writeString(broken.resolve("tls.key"), "s3cr3t");
		swap(broken);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.files.problem() != null);
		assertThat(this.files.problem()).doesNotContain("s3cr3t");
		assertThat(this.told).hasSize(1);
	}

	@Test
	void saysWhyACertificateIsNotServedWithAndTellsItAgain() throws IOException {
		this.refused.set((any) -> true);
		mount("v1");
		this.files.start();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.files.problem() != null);
		assertThat(this.files.problem()).startsWith("Failed to serve with").endsWith(": they do not match");
		this.refused.set((any) -> false);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.files.problem() == null);
		assertThat(this.told).hasSize(1);
	}

	@Test
	void tellsTheOldOneAgainAfterTheNextWasRefused() throws IOException {
		ServingCertificate old = mount("v1");
		this.files.start();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.told.size() == 1);
		// The next one for good, as the files are read at any time.
		this.refused.set((read) -> !read.certificate().equals(old.certificate()));
		mount("v2");
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.files.problem() != null);
		swap(this.folder.resolve("v1"));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.files.problem() == null);
		assertThat(this.told).hasSize(2);
		assertThat(this.told.get(1)).isEqualTo(this.told.get(0));
	}

	/* The files are read one after the other, and may be swapped in between. */
	private void serve(ServingCertificate certificate) {
		ServingCertificate mounted = this.mounted.get(certificate.certificate());
		if (this.refused.get().test(certificate) || (mounted != null && !mounted.key().equals(certificate.key()))) {
			throw new IllegalStateException("they do not match");
		}
		this.told.add(certificate);
	}

	/* As the kubelet does: a new folder, and a link to it that replaces the old one. */
	private ServingCertificate mount(String version) throws IOException {
		ServingCertificate made = TestCertificates.create(Set.of("localhost"), CertificateTerms.DEFAULT, Instant.now());
		Path data = Files.createDirectories(this.folder.resolve(version));
		Files.writeString(data.resolve("tls.crt"), made.certificate());
		Files.writeString(data.resolve("tls.key"), made.key());
		this.mounted.put(made.certificate(), made);
		swap(data);
		return made;
	}

	private void swap(Path data) throws IOException {
		Path link = this.folder.resolve("link");
		Files.deleteIfExists(link);
		Files.createSymbolicLink(link, data);
		Files.move(link, this.folder.resolve("data"), StandardCopyOption.ATOMIC_MOVE);
	}

}
